#include "drivers/scanner/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/link_error.h"
#include "drivers/port/link_settings.h"
#include "drivers/scanner/iso15434.h"

namespace datum {
namespace {

constexpr std::size_t most_affix = 8;

std::string refusal_of(const std::string& text, const ScanPayload& settings) {
  if (text.size() > most_serial_characters)
    return fmt::format("it has {} characters; at most {}", text.size(), most_serial_characters);
  for (const char c : text)
    if (c < ' ' || c > '~')
      return fmt::format("it holds the byte 0x{:02X}; a serial number is printable ASCII",
                         static_cast<unsigned char>(c));
  if (!settings.pattern) return {};
  const LinePattern::Match match = settings.pattern->match(text);
  if (!match.fault.empty()) return settings.table + ".pattern: " + match.fault;
  return match.found ? "" : fmt::format("'{}' does not match {}.pattern", text, settings.table);
}

ScannedSerial from_envelope(std::string_view scan, const ScanPayload& settings) {
  const Iso15434 envelope = parse_iso15434(scan);
  if (!envelope.fault.empty()) return {"", "no envelope of ISO/IEC 15434: it " + envelope.fault};
  ScannedSerial found;
  for (const DataField& field : envelope.fields) {
    if (field.identifier != settings.identifier) continue;
    if (!found.text.empty() && found.text != field.value)
      return {"", fmt::format("two fields with data identifier {}", settings.identifier)};
    found.text = field.value;
  }
  if (found.text.empty())
    found.fault = fmt::format("no field of format 06 with data identifier {}", settings.identifier);
  return found;
}

}  // namespace

ScannedSerial serial_of(std::string_view scan, const ScanPayload& settings) {
  ScannedSerial found;
  if (settings.format == ScanFormat::iso15434)
    found = from_envelope(scan, settings);
  else if (is_iso15434(scan))
    found.fault = "an envelope of ISO/IEC 15434, and " + settings.table + ".format is \"plain\"";
  else
    found.text = scan;
  if (found.fault.empty()) found.fault = refusal_of(found.text, settings);
  if (!found.fault.empty()) found.text.clear();
  return found;
}

std::string hex_of(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

namespace config {
namespace {

std::string read_affix(TomlTable& table, const char* key, std::string fallback, std::size_t least) {
  std::string affix = table.text_or(key, std::move(fallback));
  if (affix.size() < least || affix.size() > most_affix)
    table.refuse(key, fmt::format("has {} bytes", affix.size()),
                 fmt::format("{} to {} bytes", least, most_affix));
  if (affix.find_first_of("\x1e\x1d\x04") != std::string::npos)
    table.refuse(key, "holds RS, GS or EOT, which ISO/IEC 15434 has within a scan",
                 "such as \"\\r\" or \"\\u0003\"");
  return affix;
}

}  // namespace

ScanPayload read_payload(TomlTable& table, const std::string& name) {
  ScanPayload s;
  s.table = name;
  s.format = table.choice_or<ScanFormat>("format", s.format,
                                         {{"plain", ScanFormat::plain}, {"iso15434", ScanFormat::iso15434}});
  s.identifier = table.text_or("identifier", s.identifier);
  const auto& di = s.identifier;
  const bool good = !di.empty() && di.size() <= 4 && di.back() >= 'A' && di.back() <= 'Z' &&
                    std::all_of(di.begin(), di.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
  if (!good)
    table.refuse("identifier", "'" + di + "' is no data identifier", "S, 1P, 25S: digits and a letter");
  if (const auto pattern = table.text_if("pattern")) {
    try {
      s.pattern.emplace(*pattern);
    } catch (const RefusedError& error) {
      table.refuse("pattern", error.what(), "an expression of PCRE2, such as \"^[A-Z]{2}[0-9]{8}$\"");
    }
  }
  return s;
}

ScannerSettings read_scanner(TomlTable table) {
  table.only_keys({"path", "baud", "data_bits", "parity", "stop_bits", "flow", "prefix", "suffix",
                   "silence_ms", "duplicate_ms", "late_ms", "valid_s", "format", "identifier", "pattern"});
  ScannerSettings s;
  s.line = read_serial(table, s.line);
  s.prefix = read_affix(table, "prefix", s.prefix, 0);
  s.suffix = read_affix(table, "suffix", s.suffix, 1);
  s.silence_ms = read_ms(table, "silence_ms", s.silence_ms, 10);
  s.duplicate_ms = read_ms(table, "duplicate_ms", s.duplicate_ms, 0);
  s.late_ms = read_ms(table, "late_ms", s.late_ms, 0);
  s.valid_s = static_cast<int>(table.integer_or("valid_s", s.valid_s, 1, 86'400));
  static_cast<ScanPayload&>(s) = read_payload(table, "scanner");
  table.finish();
  return s;
}

}  // namespace config

}  // namespace datum
