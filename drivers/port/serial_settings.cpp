#include <fmt/format.h>

#include "drivers/port/port.h"

namespace datum {

std::string line_format(const SerialSettings& settings) {
  const char parity = settings.parity == Parity::none ? 'N' : settings.parity == Parity::even ? 'E' : 'O';
  const char* flow = settings.flow == FlowControl::xon_xoff  ? " xon/xoff"
                     : settings.flow == FlowControl::rts_cts ? " rts/cts"
                                                             : "";
  return fmt::format("{} {}{}{}{}", settings.baud, settings.data_bits, parity, settings.stop_bits, flow);
}

void check(const SerialSettings& settings) {
  const auto refuse = [](const std::string& what) { throw RefusedError("serial port: " + what); };
  if (settings.path.empty() || settings.path[0] != '/')
    refuse(fmt::format("path '{}' must be absolute, e.g. /dev/serial/by-id/...", settings.path));
  if (settings.baud < 50 || settings.baud > 4'000'000)
    refuse(fmt::format("{} baud; allowed: 50 to 4000000", settings.baud));
  if (settings.data_bits < 5 || settings.data_bits > 8)
    refuse(fmt::format("{} data bits; allowed: 5 to 8", settings.data_bits));
  if (settings.stop_bits < 1 || settings.stop_bits > 2)
    refuse(fmt::format("{} stop bits; allowed: 1 or 2", settings.stop_bits));
}

}  // namespace datum
