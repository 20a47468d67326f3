// Lines of fields that a checksum guards: what hosts are sent, and what datumd keeps in small files.
//
//   field,field,...*<crc>
#pragma once

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
/// `text` + '*' + crc, without line end.
std::string with_crc(const std::string& text, LineCheck check = LineCheck::crc16);

/// A line taken apart: comma-separated fields and by what it was checked.
struct CheckedLine {
  std::vector<std::string_view> fields;  // of the line that was given
  LineCheck check = LineCheck::crc16;
};
/// Throws std::runtime_error: no checksum, or one that does not belong to it.
CheckedLine checked_line(std::string_view line);
/// A field as a whole number. Throws std::runtime_error that names it.
std::uint64_t number_in_line(std::string_view field, const char* name);

}  // namespace datum
