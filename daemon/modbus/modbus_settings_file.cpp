#include "daemon/modbus/settings.h"

#include "config/toml_reader.h"

#include "daemon/hosts/host_settings_file.h"

namespace datum::config {

modbus::TcpSettings read_modbus_tcp(TomlTable table) {
  table.only_keys(
      {"address", "insecure", "role", "port", "most_connections", "most_per_address", "idle_s", "allow"});
  modbus::TcpSettings s;
  s.address = read_address(table, s.address);
  s.role = read_role(table, s.role, false);
  s.port = static_cast<std::uint16_t>(table.integer_or("port", s.port, 0, 65535));
  s.most_connections = static_cast<int>(table.integer_or("most_connections", s.most_connections, 1, 64));
  s.most_per_address = static_cast<int>(table.integer_or("most_per_address", s.most_per_address, 1, 64));
  s.idle_s = static_cast<int>(table.integer_or("idle_s", s.idle_s, 1, 86'400));
  s.allow = read_allow(table);
  table.finish();
  return s;
}

modbus::SerialLineSettings read_modbus_serial(TomlTable table) {
  table.only_keys({"path", "baud", "parity", "stop_bits", "unit", "role"});
  modbus::SerialLineSettings s;
  s.line.path = table.text("path");
  if (s.line.path.empty() || s.line.path[0] != '/')
    table.refuse("path", "'" + s.line.path + "' is not an absolute path",
                 "such as /dev/serial/by-id/..., which survives renumbering");
  s.line.baud = static_cast<int>(table.integer("baud", 1200, 4'000'000));
  s.line.parity = table.choice_or("parity", s.line.parity,
                                  {{"none", Parity::none}, {"even", Parity::even}, {"odd", Parity::odd}});
  const int stop_bits = s.line.parity == Parity::none ? 2 : 1;
  s.line.stop_bits = static_cast<int>(table.integer_or("stop_bits", stop_bits, 1, 2));
  s.role = read_role(table, s.role, false);
  s.unit = static_cast<int>(table.integer_or("unit", s.unit, 1, 247));
  table.finish();
  return s;
}

}  // namespace datum::config
