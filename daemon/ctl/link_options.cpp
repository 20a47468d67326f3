#include "daemon/ctl/link_options.h"

#include <fmt/format.h>

#include <charconv>

namespace datum {

void add_link_options(CLI::App& command, LinkOptions& o) {
  auto* tcp = command.add_option("--tcp", o.tcp, "HOST:PORT of datumd")->capture_default_str();
  command.add_option("--serial", o.serial, "serial line instead")->excludes(tcp);
  command.add_option("--baud", o.baud, "of the serial line")->capture_default_str();
  command.add_option("--timeout-ms", o.time_out_ms, "how long an answer may take")
      ->capture_default_str()
      ->check(CLI::Range(1, 3600000));
}

std::unique_ptr<Port> port_of(const LinkOptions& o) {
  if (!o.serial.empty()) {
    SerialSettings line;
    line.path = o.serial;
    line.baud = o.baud;
    return serial_port(line);
  }
  const auto colon = o.tcp.rfind(':');
  const char *from = o.tcp.data() + (colon == std::string::npos ? o.tcp.size() : colon + 1),
             *end = o.tcp.data() + o.tcp.size();
  std::uint16_t number = 0;
  const auto [rest, error] = std::from_chars(from, end, number);
  if (error != std::errc() || rest != end || number == 0 || colon == 0)
    throw RefusedError("--tcp " + o.tcp + ": HOST:PORT with a port from 1 to 65535 is wanted");
  return tcp_port(o.tcp.substr(0, colon), number);
}

ScpiClient connect(const LinkOptions& o) { return {port_of(o), std::chrono::milliseconds(o.time_out_ms)}; }

std::string address_of(const LinkOptions& o) {
  return o.serial.empty() ? o.tcp : fmt::format("{} at {} baud", o.serial, o.baud);
}

}  // namespace datum
