// CHECk: reference checks of the cell.
#include <fmt/format.h>

#include "config/utc_time.h"
#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

ReferenceChecker& checker(Call& call) {
  ReferenceChecker* checker = call.instrument().reference_checker();
  if (!checker)
    throw Error(hardware_missing, "this cell has no reference checks; [reference_checks] in datumd.toml");
  return *checker;
}

std::string check_time(std::int64_t utc_s) { return utc_s == 0 ? "" : iso8601_from_utc(utc_s); }

void check_catalog(Call& call) {
  std::string out;
  if (const ReferenceChecker* all = call.instrument().reference_checker())
    for (const CheckStatus& c : all->checks()) out += (out.empty() ? "" : ",") + quote(c.name);
  call.session.answer(out.empty() ? "\"\"" : out);
}

void check_state(Call& call) {
  const ReferenceChecker* all = call.instrument().reference_checker();
  const auto checks = all ? all->checks() : std::vector<CheckStatus>{};
  const CheckState worst = worst_of(checks);
  std::string why;
  for (const CheckStatus& c : checks)
    if (c.state == worst && worst != CheckState::valid)
      why += fmt::format("{}{}{}{}", why.empty() ? "" : "; ", c.name, c.why.empty() ? "" : ": ", c.why);
  call.session.answer(fmt::format("{},{}", name_of(worst), quote(why)));
}

void check_detail(Call& call) {
  for (const CheckStatus& c : checker(call).checks())
    if (c.name == call[0].text)
      return call.session.answer(fmt::format("{},{},{},{},{},{},{},{},{},{}", quote(c.name), name_of(c.state),
                                             quote(c.why), c.id, c.good, quote(check_time(c.since_utc_s)),
                                             quote(check_time(c.until_utc_s)), c.readings_taken, c.readings,
                                             quote(c.artefact + ", recipe " + c.recipe)));
  throw Error(illegal_parameter_value,
              "no reference check '" + call[0].text + "'; CHECk:CATalog? lists them");
}

}  // namespace

std::vector<Command> check_commands() {
  const auto text = [](const char* name, bool optional = false) {
    return Parameter{Parameter::Kind::string, name, optional};
  };
  return {
      {"CHECk:CATalog?", check_catalog, {}, "names of the reference checks; \"\" there is none"},
      {"CHECk:STATe?",
       check_state,
       {},
       "of all checks, the worst: NONE, VALID, OVERRIDDEN, DUE, CHECK or FAILED; and of which and why"},
      {"CHECk:DETail?",
       check_detail,
       {text("check")},
       "name, state, why, newest record, that of the last good check (0: none), since, until, readings "
       "taken, "
       "demanded, artefact"},
      {"CHECk:STARt",
       [](Call& c) { checker(c).start(c[0].text, c.arguments[1] ? c[1].text : ""); },
       {text("check"), text("person", true)},
       "the next boards are readings of its artefact; INITiate, then a board each"},
      {"CHECk:ABORt", [](Call& c) { checker(c).abort(); }, {}, "end the check in progress; it is due"},
      {"CHECk:DUE",
       [](Call& c) { checker(c).declare_due(c[0].text, c[1].text); },
       {text("check"), text("reason")},
       "after a collision or a repair: the check is due from now on"},
      {"CHECk:OVERride",
       [](Call& c) { checker(c).override_check(c[0].text, c[1].text, c[2].text); },
       {text("check"), text("person"), text("reason")},
       "a named person decides to measure without a good check; each result says so",
       Access::configures},
  };
}

}  // namespace datum::scpi
