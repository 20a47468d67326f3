#include "drivers/cmm/line_check.h"

#include <fmt/format.h>

#include "drivers/cmm/line_framer.h"

namespace datum {
namespace {

std::uint8_t xor_of(std::string_view text) {
  std::uint8_t value = 0;
  for (const char c : text) value = static_cast<std::uint8_t>(value ^ static_cast<std::uint8_t>(c));
  return value;
}

std::uint8_t sum_of(std::string_view text) {
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<std::uint8_t>(c);
  return static_cast<std::uint8_t>(sum);
}

// Bitwise: such lines arrive about ten times a second.
std::uint16_t crc_modbus(std::string_view text) {
  unsigned crc = 0xFFFF;
  for (const char c : text) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xA001 : crc >> 1;
  }
  return static_cast<std::uint16_t>(crc);
}

std::uint16_t crc_ccitt(std::string_view text) {
  unsigned crc = 0xFFFF;
  for (const char c : text) {
    crc ^= static_cast<unsigned>(static_cast<std::uint8_t>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = ((crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1) & 0xFFFF;
  }
  return static_cast<std::uint16_t>(crc);
}

std::string upper_case(std::string digits) {
  for (char& c : digits) c = static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  return digits;
}

}  // namespace

std::string check_digits(std::string_view text, Integrity integrity) {
  switch (integrity) {
    case Integrity::none:
      return "";
    case Integrity::xor_hex:
    case Integrity::nmea:
      return fmt::format("{:02X}", xor_of(text));
    case Integrity::sum8_hex:
      return fmt::format("{:02X}", sum_of(text));
    case Integrity::lrc_hex:
      return fmt::format("{:02X}", static_cast<std::uint8_t>(-sum_of(text)));
    case Integrity::crc16_modbus_hex:
      return fmt::format("{:04X}", crc_modbus(text));
    case Integrity::crc16_ccitt_hex:
      return fmt::format("{:04X}", crc_ccitt(text));
    case Integrity::xor_byte:
      return std::string(1, static_cast<char>(xor_of(text)));
  }
  return "";
}

std::string strip_check_digits(std::string& text, Integrity integrity) {
  if (integrity == Integrity::none || integrity == Integrity::xor_byte) return "";
  const std::string whole = text;
  const bool star = integrity == Integrity::nmea;
  const std::size_t size = check_digits("", integrity).size(), tail = star ? size + 1 : size;
  if (text.size() <= tail || (star && text[text.size() - tail] != '*'))
    return "no check digits at the end of " + in_quotes(whole);
  const std::string digits = text.substr(text.size() - size);
  text.resize(text.size() - tail);
  if (star && text[0] == '$') text.erase(0, 1);
  const std::string expected = check_digits(text, integrity);
  if (upper_case(digits) == expected) return "";
  return fmt::format("check digits {} where {} belong: {}", digits, expected, in_quotes(whole));
}

}  // namespace datum
