#include "daemon/text/checked_line.h"

#include <fmt/format.h>
#include <zlib.h>

namespace datum {
std::uint16_t crc16(std::string_view bytes) {
  std::uint16_t crc = 0xFFFF;
  for (const char c : bytes) {
    crc = static_cast<std::uint16_t>(crc ^ static_cast<unsigned char>(c));
    for (int bit = 0; bit < 8; ++bit)
      crc = static_cast<std::uint16_t>(crc & 1 ? (crc >> 1) ^ 0xA001 : crc >> 1);
  }
  return crc;
}

std::uint32_t crc32(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string with_crc(const std::string& text, LineCheck check) {
  return check == LineCheck::crc32 ? fmt::format("{}*{:08X}", text, crc32(text))
                                   : fmt::format("{}*{:04X}", text, crc16(text));
}

CheckedLine checked_line(std::string_view line) {
  const auto star = line.rfind('*');
  if (star == std::string_view::npos) throw std::runtime_error("line: no '*' before a checksum");
  const auto body = line.substr(0, star), given = line.substr(star + 1);
  CheckedLine checked;
  checked.check = given.size() == 8 ? LineCheck::crc32 : LineCheck::crc16;
  const std::string due = with_crc(std::string(body), checked.check).substr(star + 1);
  if (given != due)
    throw std::runtime_error(fmt::format("line: checksum {} does not belong to it ({})", given, due));
  for (std::size_t from = 0;;) {
    const auto comma = body.find(',', from);
    checked.fields.push_back(body.substr(from, comma - from));
    if (comma == std::string_view::npos) return checked;
    from = comma + 1;
  }
}

}  // namespace datum
