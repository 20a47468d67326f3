// Four neighbouring samples of a device's image as floats and integers. C++17.
//
// A conversion of an integer costs four of another instruction; bytes put into the mantissa of 2^23 and a subtraction
// cost two, and are as exact.
#pragma once

#include <cstdint>

#include "gpu/fringe_phase/fringe_phase_math.h"

namespace datum::fringe {

/// Bytes of `word` chosen by `selector` below 2^23's exponent.
__device__ __forceinline__ float small_float(std::uint32_t word, std::uint32_t selector, float zero) {
  return __uint_as_float(__byte_perm(word, 0x4B000000u, selector)) - zero;
}

struct FourBytes {
  using Word = std::uint32_t;
  static __device__ __forceinline__ Word load(const unsigned char* p) {
    return __ldcs(reinterpret_cast<const Word*>(p));
  }
  template <int i>
  static __device__ __forceinline__ float at(Word w) {
    return small_float(w, 0x7440u | i, 8388608.f);
  }
};

struct FourWords {
  using Word = uint2;
  static __device__ __forceinline__ Word load(const unsigned char* p) {
    return __ldcs(reinterpret_cast<const Word*>(p));
  }
  template <int i>
  static __device__ __forceinline__ float at(Word w) {
    return small_float(i < 2 ? w.x : w.y, i % 2 ? 0x7632u : 0x7610u, 8388608.f);
  }
};

/// a - b of each byte, plus 256, in 16 bits: bytes 0 and 2, bytes 1 and 3.
struct Differences {
  std::uint32_t even, odd;
  __device__ __forceinline__ Differences(std::uint32_t a, std::uint32_t b)
      : even((a & 0x00FF00FFu) + 0x01000100u - (b & 0x00FF00FFu)),
        odd(((a >> 8) & 0x00FF00FFu) + 0x01000100u - ((b >> 8) & 0x00FF00FFu)) {}
  template <int i>
  __device__ __forceinline__ float at() const {
    return small_float(i % 2 ? odd : even, i / 2 ? 0x7632u : 0x7610u, 8388608.f + 256.f);
  }
};

/// Sums of four bytes each, in 16 bits: bytes 0 and 2, bytes 1 and 3.
struct GreySums {
  std::uint32_t even, odd;
  __device__ __forceinline__ GreySums(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d)
      : even((a & 0x00FF00FFu) + (b & 0x00FF00FFu) + (c & 0x00FF00FFu) + (d & 0x00FF00FFu)),
        odd(((a >> 8) & 0x00FF00FFu) + ((b >> 8) & 0x00FF00FFu) + ((c >> 8) & 0x00FF00FFu) +
            ((d >> 8) & 0x00FF00FFu)) {}
  template <int i>
  __device__ __forceinline__ float at() const {
    return small_float(i % 2 ? odd : even, i / 2 ? 0x7632u : 0x7610u, 8388608.f);
  }
};

/// Which bytes reach `maximum`, 1 to 255: bit 7 of each.
class SaturatedBytes {
 public:
  explicit __device__ __forceinline__ SaturatedBytes(std::uint32_t maximum)
      : high_(maximum > 128), add_((high_ ? 256 - maximum : 128 - maximum) * 0x01010101u) {}
  __device__ __forceinline__ void take(std::uint32_t word) {
    const std::uint32_t sum = (word & 0x7F7F7F7Fu) + add_;
    marks_ |= high_ ? sum & word : sum | word;
  }
  template <int i>
  __device__ __forceinline__ bool at() const {
    return (marks_ & (0x80u << (8 * i))) != 0;
  }

 private:
  bool high_;
  std::uint32_t add_, marks_ = 0;
};

}  // namespace datum::fringe
