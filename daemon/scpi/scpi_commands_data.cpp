// DATA: range of the stored results, position of the host, and repeated measurement of a result.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"
#include "daemon/sign/signed_head.h"

namespace datum::scpi {
namespace {

/// Only with the store's id is a number conclusive; alone it may belong to another store, or be a mistake.
void acknowledge(Call& call) {
  const auto have = call.instrument().results();
  const std::uint64_t said = call[0].integer;
  const std::string id = call.arguments[1] ? call[1].text : have.store_id;
  const auto has = have.position_of(id, said);
  if (!has)
    throw Error(data_out_of_range,
                fmt::format("store '{}'; this one is '{}', see DATA:STORe?", id, have.store_id));
  if (*has > have.highest()) {
    if (call.arguments[1]) call.instrument().position_ahead(id, {said, call.session.host()});
    throw Error(data_out_of_range,
                fmt::format("result {}; the last one is {}{}", said, have.last,
                            call.arguments[1] ? ": the store was set back, ask DATA:STORe?" : ""));
  }
  call.session.acknowledge(*has);
}

/// The former id of a store that was set back.
void former(Call& call) {
  const auto have = call.instrument().results();
  const FormerId none;
  const FormerId& f = have.former.empty() ? none : have.former.back();
  call.session.answer(fmt::format("{},{},{}", quote(f.id), f.last, f.given));
}

/// The oldest remaining result; a gap is visible in its number.
void next(Call& call) {
  const auto have = call.instrument().results();
  call.session.answer(fmt::format("{}", have.next(call.session.acknowledged())));
}

std::string signed_head_of(Call& call) {
  auto head = call.instrument().signed_head();
  if (!head)
    throw Error(data_corrupt_or_stale, "no head of the chain was signed; [signatures] names who signs");
  return *std::move(head);
}

void replayed(Call& call) {
  const ReplayOutcome outcome = call.instrument().replayer().outcome();
  call.session.answer(fmt::format("{},{},{}", outcome.sequence, outcome.state, quote(outcome.detail)));
}

}  // namespace

std::vector<Command> data_commands() {
  Parameter from_none = result_sequence();
  from_none.optional = false;
  Parameter one = from_none;
  from_none.min = 0;
  const Parameter store{Parameter::Kind::string, "store id", true};
  return {
      {"DATA:COUNt?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.instrument().results().count)); },
       {},
       "results in the store"},
      {"DATA:FIRSt?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.instrument().results().first)); },
       {},
       "sequence of the oldest result, 0 where there is none"},
      {"DATA:LAST?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.instrument().results().last)); },
       {},
       "sequence of the newest result, 0 where there is none"},
      {"DATA:STORe?",
       [](Call& c) { c.session.answer(quote(c.instrument().results().store_id)); },
       {},
       "id of the store: another one means that sequences began again, or that the store was set back"},
      {"DATA:STORe:FORMer?",
       former,
       {},
       "where the store was set back: the id before, the last result of it that is left, and the highest "
       "number "
       "that is known to have been given under it; what follows has numbers above that one"},
      {"DATA:SIGNature?",
       [](Call& c) { c.session.answer(block(signed_head_of(c))); },
       {},
       "the newest head of the chain of results that the signer signed, as a block: keep it, and datumctl "
       "verify "
       "results --head shows whether anything before it was changed since"},
      {"DATA:SIGNature:KEY?",
       [](Call& c) { c.session.answer(block(pem_of(datum::signed_head_of(signed_head_of(c)).key))); },
       {},
       "the public key that this head names, PEM; only another source can confirm that it is the signer's"},
      {"DATA:ACK",
       acknowledge,
       {from_none, store},
       "this host has all results up to this one, 0: none, of the store with this id. Kept while the link "
       "lasts; say it again after "
       "connecting",
       Access::reads},
      {"DATA:ACK?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.session.acknowledged())); },
       {},
       "the last acknowledged sequence"},
      {"DATA:NEXT?",
       next,
       {},
       "sequence of the oldest result that is stored and not acknowledged, 0: none. One that is not the "
       "acknowledged "
       "one plus 1 says that results in between are no longer stored"},
      {"DATA:REPLay",
       [](Call& c) { c.instrument().replayer().start(c[0].integer); },
       {one},
       "measure the stored frame of a result again, with the recipe and the calibration of then, and "
       "compare; nothing "
       "is stored. Not while armed; *OPC? waits for it"},
      {"DATA:REPLay?",
       replayed,
       {},
       "sequence; NONE, RUNNING, SAME, DIFFERENT or FAILED; the first difference, or why it is not "
       "known"},
  };
}

}  // namespace datum::scpi
