// Readers of link tables: a serial line and a TCP address.
#pragma once

#include "config/toml_reader.h"
#include "drivers/port/port.h"

namespace datum::config {

/// path, baud, data_bits, parity, stop_bits, flow. An absent key keeps its value of `defaults` (a device's
/// preset); the path is mandatory.
SerialSettings read_serial(TomlTable& table, SerialSettings defaults);

/// A TCP port number, 1 to 65535.
std::uint16_t read_tcp_port(TomlTable& table, std::string_view key);

/// Milliseconds from `least` to ten minutes.
int read_ms(TomlTable& table, const char* key, int fallback, std::int64_t least = 1);

}  // namespace datum::config
