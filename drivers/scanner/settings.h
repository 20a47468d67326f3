// Settings of a scanner on a serial line: table [scanner] of datumd.toml.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/toml_reader.h"
#include "drivers/cmm/line_pattern.h"
#include "drivers/port/port.h"

namespace datum {

enum class ScanFormat : std::uint8_t {
  plain,     // the scan is the serial number
  iso15434,  // an envelope has it behind a data identifier
};

/// What a code says, whoever reads it.
struct ScanPayload {
  std::string table = "scanner";  // whose settings these are, for messages
  ScanFormat format = ScanFormat::plain;
  std::string identifier = "S";        // of the serial number, where format is iso15434
  std::optional<LinePattern> pattern;  // that a serial number matches; none: any
};

struct ScannerSettings : ScanPayload {
  SerialSettings line{"", 9600};
  std::string prefix, suffix = "\r";
  int silence_ms = 100;    // between two bytes of a scan
  int duplicate_ms = 500;  // the same scan again within it is the same one
  int late_ms = 1000;      // after the trigger of a board without number a scan may be that board's
  int valid_s = 60;        // from the scan to the trigger
};

/// Characters of a serial number, from any source.
inline constexpr std::size_t most_serial_characters = 128;

struct ScannedSerial {
  std::string text;   // printable ASCII, as read: case and leading zeros count
  std::string fault;  // why the scan has no serial number; empty: it has
};
/// Never throws.
ScannedSerial serial_of(std::string_view scan, const ScanPayload& payload);

/// Lower-case hex.
std::string hex_of(std::string_view bytes);

namespace config {
/// Throws ConfigError.
ScannerSettings read_scanner(TomlTable table);
/// The keys format, identifier and pattern. `name` of the table, for messages. Throws ConfigError.
ScanPayload read_payload(TomlTable& table, const std::string& name);
}  // namespace config

}  // namespace datum
