// SYSTem: the clock, and the configured host links.
#include <fmt/format.h>

#include <ctime>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

std::tm utc(Call& call) {
  const std::time_t seconds = call.instrument().utc_s();
  std::tm t{};
  gmtime_r(&seconds, &t);
  return t;
}

void date(Call& call) {
  const std::tm t = utc(call);
  call.session.answer(fmt::format("{},{},{}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday));
}

void time_of_day(Call& call) {
  const std::tm t = utc(call);
  call.session.answer(fmt::format("{},{},{}", t.tm_hour, t.tm_min, t.tm_sec));
}

SerialSettings serial(Call& call) {
  const auto links = call.instrument().host_links();
  if (!links.serial) throw Error(hardware_missing, "no [host.serial] is configured");
  return *links.serial;
}

HostLinks::Tcp tcp(Call& call) {
  const auto links = call.instrument().host_links();
  if (!links.tcp) throw Error(hardware_missing, "no [host.tcp] is configured");
  return *links.tcp;
}

const char* parity_word(Parity parity) {
  return parity == Parity::none ? "NONE" : parity == Parity::even ? "EVEN" : "ODD";
}

const char* pace_word(FlowControl flow) { return flow == FlowControl::xon_xoff ? "XON" : "NONE"; }

}  // namespace

std::vector<Command> environment_commands() {
  return {
      {"SYSTem:DATE?", date, {}, "year, month, day of the daemon's clock, UTC"},
      {"SYSTem:TIME?", time_of_day, {}, "hour, minute, second of the daemon's clock, UTC"},
      {"SYSTem:COMMunicate:SERial[:RECeive]:BAUD?",
       [](Call& c) { c.session.answer(fmt::format("{}", serial(c).baud)); },
       {},
       "the host's serial line, as [host.serial] has it"},
      {"SYSTem:COMMunicate:SERial[:RECeive]:BITS?",
       [](Call& c) { c.session.answer(fmt::format("{}", serial(c).data_bits)); },
       {},
       "data bits"},
      {"SYSTem:COMMunicate:SERial[:RECeive]:PARity[:TYPE]?",
       [](Call& c) { c.session.answer(parity_word(serial(c).parity)); },
       {},
       "NONE, EVEN or ODD"},
      {"SYSTem:COMMunicate:SERial[:RECeive]:SBITs?",
       [](Call& c) { c.session.answer(fmt::format("{}", serial(c).stop_bits)); },
       {},
       "stop bits"},
      {"SYSTem:COMMunicate:SERial[:RECeive]:PACE?",
       [](Call& c) { c.session.answer(pace_word(serial(c).flow)); },
       {},
       "XON or NONE"},
      {"SYSTem:COMMunicate:SERial:CONTrol:RTS?",
       [](Call& c) { c.session.answer(serial(c).flow == FlowControl::rts_cts ? "RFR" : "ON"); },
       {},
       "RFR where RTS and CTS pace the line, else ON"},
      {"SYSTem:COMMunicate:TCPip:ADDRess?",
       [](Call& c) { c.session.answer(quote(tcp(c).address)); },
       {},
       "address that [host.tcp] listens on"},
      {"SYSTem:COMMunicate:TCPip:PORT?",
       [](Call& c) { c.session.answer(fmt::format("{}", tcp(c).port)); },
       {},
       "its port"},
  };
}

}  // namespace datum::scpi
