#include "drivers/sensor/stored_number.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace datum {
namespace {

template <class Whole>
double signed_value(std::uint64_t bits) {
  return static_cast<double>(static_cast<Whole>(bits));
}

}  // namespace

double number_at(ByteView file, std::size_t at, const StoredNumber& as, bool big_endian) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < as.bytes; ++i) {
    const std::size_t from = big_endian ? at + i : at + as.bytes - 1 - i;
    bits = bits << 8 | file[from];
  }
  if (as.kind == StoredNumber::Kind::natural) return static_cast<double>(bits);
  if (as.kind == StoredNumber::Kind::real) {
    return as.bytes == 8 ? std::bit_cast<double>(bits)
                         : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  switch (as.bytes) {
    case 1:
      return signed_value<std::int8_t>(bits);
    case 2:
      return signed_value<std::int16_t>(bits);
    case 4:
      return signed_value<std::int32_t>(bits);
    default:
      return signed_value<std::int64_t>(bits);
  }
}

std::optional<double> number_in(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> natural_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > (std::uint64_t{1} << 53))
    return std::nullopt;
  return value;
}

}  // namespace datum
