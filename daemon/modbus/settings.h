// Settings of the Modbus links, [host.modbus_tcp] and [host.modbus_serial].
#pragma once

#include <cstdint>
#include <string>

#include "daemon/instrument/lock_arbiter.h"
#include "drivers/port/allow_list.h"
#include "drivers/port/port.h"

namespace datum::modbus {

struct TcpSettings {
  std::string address = "127.0.0.1";  // numeric; every peer that reaches it can command the cell
  // The standard port 502 demands CAP_NET_BIND_SERVICE, which the service does not have.
  std::uint16_t port = 1502;  // 0: a free one
  int most_connections = 8;   // one more is closed at once
  int most_per_address = 0;   // daemon/hosts/host_places.h
  AllowList allow;            // of peers
  Role role = Role::operate;
  int idle_s = 60;  // after that an idle host without control may lose its place
};

struct SerialLineSettings {
  SerialSettings line{"", 0, 8, Parity::even, 1, FlowControl::none};  // path and baud are set from the file
  int unit = 1;                                                       // 1 to 247
  Role role = Role::operate;
};

}  // namespace datum::modbus

namespace datum::config {

class TomlTable;

/// Throws ConfigError.
modbus::TcpSettings read_modbus_tcp(TomlTable table);
/// The line format is that of Modbus RTU: 8 data bits, a second stop bit without parity. Throws ConfigError.
modbus::SerialLineSettings read_modbus_serial(TomlTable table);

}  // namespace datum::config
