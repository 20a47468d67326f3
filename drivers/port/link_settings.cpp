#include "drivers/port/link_settings.h"

namespace datum::config {

SerialSettings read_serial(TomlTable& table, SerialSettings s) {
  s.path = table.text("path");
  if (s.path.empty() || s.path[0] != '/') {
    table.refuse("path", "'" + s.path + "' is not an absolute path",
                 "such as /dev/serial/by-id/..., which survives renumbering");
  }
  s.baud = static_cast<int>(table.integer_or("baud", s.baud, 50, 4'000'000));
  s.data_bits = static_cast<int>(table.integer_or("data_bits", s.data_bits, 5, 8));
  s.parity = table.choice_or("parity", s.parity,
                             {{"none", Parity::none}, {"even", Parity::even}, {"odd", Parity::odd}});
  s.stop_bits = static_cast<int>(table.integer_or("stop_bits", s.stop_bits, 1, 2));
  s.flow = table.choice_or(
      "flow", s.flow,
      {{"none", FlowControl::none}, {"xon_xoff", FlowControl::xon_xoff}, {"rts_cts", FlowControl::rts_cts}});
  return s;
}

std::uint16_t read_tcp_port(TomlTable& table, std::string_view key) {
  return static_cast<std::uint16_t>(table.integer(key, 1, 65535));
}

int read_ms(TomlTable& table, const char* key, int fallback, std::int64_t least) {
  constexpr std::int64_t longest_ms = 600'000;
  return static_cast<int>(table.integer_or(key, fallback, least, longest_ms));
}

}  // namespace datum::config
