// Sums of integers without rounding, for programs without Boost: the same bits for any order and merge of the counts.
#pragma once

#include <cstdint>

namespace datum::quality {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// Of counts up to largest_count (decimal.h), below 2^60. The sum of 2^64 of them stays below 2^124. A square has two limbs of 64 bits, which
/// are summed apart: each sum stays below 2^128.
struct CountSums {
  std::uint64_t n = 0;
  Wide sum = 0;
  UnsignedWide squares_high = 0, squares_low = 0;  // sum of squares: high * 2^64 + low

  void add(std::int64_t count) {
    const UnsignedWide square = square_of(count);
    ++n;
    sum += count;
    squares_high += square >> 64;
    squares_low += static_cast<std::uint64_t>(square);
  }
  /// Takes a count out that was added before.
  void remove(std::int64_t count) {
    const UnsignedWide square = square_of(count);
    --n;
    sum -= count;
    squares_high -= square >> 64;
    squares_low -= static_cast<std::uint64_t>(square);
  }
  void merge(const CountSums& other) {
    n += other.n;
    sum += other.sum;
    squares_high += other.squares_high;
    squares_low += other.squares_low;
  }

 private:
  static UnsignedWide square_of(std::int64_t count) {
    return static_cast<UnsignedWide>(static_cast<Wide>(count) * count);
  }
};

}  // namespace datum::quality
