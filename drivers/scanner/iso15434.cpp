#include "drivers/scanner/iso15434.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum {
namespace {

constexpr std::string_view compliance = "[)>";
constexpr char record = 0x1E, group = 0x1D, end = 0x04;
constexpr std::size_t most_digits = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string add_field(std::string_view field, Iso15434& to) {
  std::size_t letter = 0;
  while (letter < field.size() && letter < most_digits && is_digit(field[letter])) ++letter;
  if (letter == field.size() || field[letter] < 'A' || field[letter] > 'Z')
    return fmt::format("field {} has no data identifier of ISO/IEC 15418", to.fields.size() + 1);
  DataField read{std::string(field.substr(0, letter + 1)), std::string(field.substr(letter + 1))};
  if (read.value.empty()) return fmt::format("data identifier {} has no value", read.identifier);
  to.fields.push_back(std::move(read));
  return {};
}

std::string add_envelope(std::string_view envelope, Iso15434& to) {
  if (envelope.size() < 2 || !is_digit(envelope[0]) || !is_digit(envelope[1]))
    return "an envelope does not begin with the two digits of its format";
  if (!envelope.starts_with("06")) return {};
  envelope.remove_prefix(2);
  if (envelope.empty() || envelope.front() != group) return "format 06 is not followed by GS (0x1D)";
  while (!envelope.empty()) {
    envelope.remove_prefix(1);
    const std::size_t size = std::min(envelope.find(group), envelope.size());
    if (std::string fault = add_field(envelope.substr(0, size), to); !fault.empty()) return fault;
    envelope.remove_prefix(size);
  }
  return {};
}

std::string read(std::string_view bytes, Iso15434& to) {
  if (!is_iso15434(bytes)) return "does not begin with [)>";
  bytes.remove_prefix(compliance.size());
  if (bytes.empty() || bytes.front() != record)
    return "[)> is not followed by RS (0x1E); let the scanner send control characters";
  bytes.remove_prefix(1);
  if (bytes.empty() || bytes.back() != end) return "does not end with EOT (0x04)";
  bytes.remove_suffix(1);
  if (bytes.empty() || bytes.back() != record) return "its last envelope does not end with RS (0x1E)";
  while (!bytes.empty()) {
    const std::size_t size = bytes.find(record);
    if (std::string fault = add_envelope(bytes.substr(0, size), to); !fault.empty()) return fault;
    bytes.remove_prefix(size + 1);
  }
  return {};
}

}  // namespace

bool is_iso15434(std::string_view bytes) { return bytes.starts_with(compliance); }

Iso15434 parse_iso15434(std::string_view bytes) {
  Iso15434 parsed;
  parsed.fault = read(bytes, parsed);
  if (!parsed.fault.empty()) parsed.fields.clear();
  return parsed;
}

}  // namespace datum
