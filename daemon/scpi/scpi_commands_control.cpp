// SYSTem:LOCK, SYSTem:PERSon: control of the cell by one host, and who acts there (lock_arbiter.h).
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

void owner(Call& call) {
  const std::string owner = call.instrument().control().owner();
  call.session.answer(quote(owner.empty() ? "NONE" : owner));
}

}  // namespace

std::vector<Command> control_commands() {
  return {
      {"SYSTem:LOCK:REQuest?",
       [](Call& c) { c.session.answer(c.instrument().control().request(c.session.host()) ? "1" : "0"); },
       {},
       "ask for control: 1 this host has it, 0 another one has"},
      {"SYSTem:LOCK:RELease",
       [](Call& c) { c.instrument().control().release(c.session.host()); },
       {},
       "give control back; a lost link does the same",
       Access::reads},
      {"SYSTem:LOCK:FORCe",
       [](Call& c) { c.instrument().control().force(c.session.host()); },
       {},
       "take control from its holder; this is logged",
       Access::reads},
      {"SYSTem:PERSon",
       [](Call& c) { c.instrument().control().name_person(c.session.host(), c[0].text); },
       {{Parameter::Kind::string, "name"}},
       "who acts over this connection from now on: stands beside the host in the chain of results; \"\" "
       "takes it back",
       Access::reads},
      {"SYSTem:PERSon?",
       [](Call& c) { c.session.answer(quote(c.instrument().control().person_of(c.session.host()))); },
       {},
       "who acts over this connection"},
      {"SYSTem:LOCK:OWNer?",
       owner,
       {},
       "the host that has control, or the link that it is reserved for, or NONE"},
      {"SYSTem:LOCK:NAME?",
       [](Call& c) { c.session.answer(quote(c.session.host())); },
       {},
       "the name of this host, as OWNer? gives it"},
  };
}

}  // namespace datum::scpi
