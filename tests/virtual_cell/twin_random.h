// Counter-based random numbers: a value depends on (seed, stream, counter) alone, so pixels are independent
// of their order. Integers and + - * / sqrt only: the same bytes on every machine.
#pragma once

#include <cmath>
#include <cstdint>

namespace datum {

/// Purpose of a random number; two streams never share numbers.
enum class TwinStream : std::uint64_t {
  white = 1,
  correlated,
  dropout,
  speckle,
  outlier,
  seating,
  bow,
  scale,
  place,
  kernel,
  rows,
  columns,
  missing,
  blobs,
  spikes,
};

class TwinRandom {
 public:
  TwinRandom(std::uint64_t seed, TwinStream stream)
      : key_(mix(seed ^ mix(static_cast<std::uint64_t>(stream)))) {}

  /// 64 well mixed bits (finaliser of SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
  std::uint64_t word(std::uint64_t counter) const { return mix(key_ + counter * 0x9E3779B97F4A7C15ULL); }

  /// Uniform in [0, 1), 53 bits.
  double uniform(std::uint64_t counter) const { return static_cast<double>(word(counter) >> 11) * 0x1p-53; }

  /// Sum of twelve 16-bit uniforms less its mean (Irwin-Hall): an integer whose standard deviation is
  /// gauss_unit. Close to Gaussian up to 4 sigma (excess kurtosis -0.1), bounded at 6 sigma.
  std::int32_t gauss_count(std::uint64_t counter) const {
    std::int32_t sum = 0;
    for (std::uint64_t part = 0; part < 3; ++part) {
      std::uint64_t w = word(3 * counter + part);
      for (int i = 0; i < 4; ++i, w >>= 16) sum += static_cast<std::int32_t>(w & 0xFFFF);
    }
    return sum - 6 * 65535;
  }
  /// sqrt(12 (65536^2 - 1) / 12).
  static constexpr double gauss_unit = 65536.0;

  double normal(std::uint64_t counter) const { return gauss_count(counter) / gauss_unit; }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t key_;
};

}  // namespace datum
