// Common commands of IEEE 488.2, chapter 10.
#include <fmt/format.h>

#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

constexpr std::size_t longest_identity = 72;  // IEEE 488.2, 10.14.3

Parameter byte_mask() { return {Parameter::Kind::integer, "mask", false, 0, 255}; }

/// One field of *IDN?: printable, without separators of answers.
std::string field(const std::string& text) {
  std::string out;
  for (const char c : text) out += c < ' ' || c > '~' || c == ',' || c == ';' ? '-' : c;
  return out.empty() ? "0" : out;
}

void identify(Call& call) {
  const auto id = call.instrument().identity();
  std::string text =
      field(id.maker) + "," + field(id.model) + "," + field(id.serial) + "," + field(id.firmware);
  if (text.size() > longest_identity) text.resize(longest_identity);
  call.session.answer(text);
}

void clear(Call& call) {
  call.session.status().clear_events();
  call.session.errors().clear();
  call.session.forget_completion();
}

void reset(Call& call) {
  call.session.forget_completion();
  call.session.form() = {};
  call.instrument().reset();
}

void self_test(Call& call) {
  const auto later = std::make_shared<Session::Later>();
  call.session.wait_for(later);
  call.instrument().self_test([later](const std::vector<std::string>& failures) {
    for (const auto& failure : failures) later->errors.push_back(failure);
    later->error_number = self_test_failed;
    later->text = fmt::format("{}", failures.size());
    later->done = true;
  });
}

}  // namespace

std::vector<Command> common_commands() {
  return {
      {"*CLS", clear, {}, "clear events and the error queue", Access::reads},
      {"*ESE",
       [](Call& c) { c.session.status().event_enable = static_cast<std::uint8_t>(c[0].integer); },
       {byte_mask()},
       "enable bits of the event status register",
       Access::reads},
      {"*ESE?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.session.status().event_enable)); },
       {},
       ""},
      {"*ESR?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.session.status().read_event())); },
       {},
       "read and clear the event status register"},
      {"*IDN?", identify, {}, "maker, model, serial number, firmware"},
      {"*OPC",
       [](Call& c) { c.session.set_event_when_complete(); },
       {},
       "set event bit 0 when no operation is pending",
       Access::reads},
      {"*OPC?",
       [](Call& c) { c.session.answer_when_complete(); },
       {},
       "answer 1 when no operation is pending"},
      {"*RST",
       reset,
       {},
       "abort, disarm, forget recipe and unit; trigger source as configured, FORMat and UNIT:LENGth of this "
       "link as at "
       "start; keeps errors, enables and link settings"},
      {"*SRE",
       [](Call& c) { c.session.status().service_enable = static_cast<std::uint8_t>(c[0].integer & ~64u); },
       {byte_mask()},
       "enable bits of the status byte for its summary",
       Access::reads},
      {"*SRE?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.session.status().service_enable)); },
       {},
       ""},
      {"*STB?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.session.status_byte())); },
       {},
       "status byte"},
      {"*TRG", [](Call& c) { c.instrument().trigger(); }, {}, "as TRIGger", Access::measures},
      {"*TST?", self_test, {}, "number of failed self-tests, each in the error queue; 0: all passed"},
      {"*WAI",
       [](Call& c) { c.session.wait_until_complete(); },
       {},
       "hold what follows until no operation is pending",
       Access::reads},
  };
}

}  // namespace datum::scpi
