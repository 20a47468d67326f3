// Numbers in binary files: 1 to 8 bytes, signed, unsigned or IEEE 754, either byte order.
#pragma once

#include <optional>
#include <string_view>

#include "drivers/sensor/file_bytes.h"

namespace datum {

struct StoredNumber {
  enum class Kind : std::uint8_t { integer, natural, real } kind = Kind::real;
  std::size_t bytes = 4;  // 1, 2, 4, 8; of real 4 or 8
};

/// The number at `at`, which must lie completely within `file`.
double number_at(ByteView file, std::size_t at, const StoredNumber& as, bool big_endian);

/// A whole text as a number, "nan" included; none where it is none.
std::optional<double> number_in(std::string_view text);
/// The same for a natural number of at most 2^53.
std::optional<std::uint64_t> natural_in(std::string_view text);

}  // namespace datum
