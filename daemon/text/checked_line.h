// Lines of fields with a checksum, for hosts and for small files of datumd.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

/// CRC-16/MODBUS.
std::uint16_t crc16(std::string_view bytes);
/// CRC-32 of ISO 3309.
std::uint32_t crc32(std::string_view bytes);

enum class LineCheck : std::uint8_t { crc16, crc32 };
/// `text` + '*' + checksum, without line end.
std::string with_crc(const std::string& text, LineCheck check = LineCheck::crc16);

/// A parsed line: comma-separated fields and the kind of its checksum.
struct CheckedLine {
  std::vector<std::string_view> fields;  // views into the given line
  LineCheck check = LineCheck::crc16;
};
/// Throws std::runtime_error where the checksum is missing or wrong.
CheckedLine checked_line(std::string_view line);
/// A field as a number. Throws std::runtime_error that names the field.
template <class T = std::uint64_t>
T number_in_line(std::string_view field, const char* name) {
  T value{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size())
    throw std::runtime_error("line: " + std::string(name) + " '" + std::string(field) + "' is not a number");
  return value;
}

}  // namespace datum
