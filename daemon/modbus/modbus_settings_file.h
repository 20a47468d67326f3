// [host.modbus_tcp] and [host.modbus_serial].
#pragma once

#include "config/toml_reader.h"
#include "daemon/modbus/settings.h"

namespace datum::config {

/// Throws ConfigError.
modbus::TcpSettings read_modbus_tcp(TomlTable table);
/// The line format is that of Modbus RTU: 8 data bits, a second stop bit without parity. Throws ConfigError.
modbus::SerialLineSettings read_modbus_serial(TomlTable table);

}  // namespace datum::config
