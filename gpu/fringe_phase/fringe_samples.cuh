// Four neighbouring samples of a device's image as floats and integers. C++17.
//
// A conversion of an integer costs four of another instruction; bytes put into the mantissa of 2^23 and a subtraction
// cost two, and are as exact.
#pragma once

#include <cuda_fp16.h>

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

/// Bytes as halves, 1024 more than they are: 0 and 1, 2 and 3. Halves up to 2048 are exact.
struct HalfBytes {
  __half2 low, high;
  explicit __device__ __forceinline__ HalfBytes(std::uint32_t word)
      : low(halves(word, 0x4140u)), high(halves(word, 0x4342u)) {}

 private:
  static __device__ __forceinline__ __half2 halves(std::uint32_t word, std::uint32_t selector) {
    const std::uint32_t bits = __byte_perm(word, 0x64646464u, selector);
    __half2 h;
    memcpy(&h, &bits, sizeof h);
    return h;
  }
};

/// a - b of each byte, exact.
struct Differences {
  __half2 low, high;
  __device__ __forceinline__ Differences(const HalfBytes& a, const HalfBytes& b)
      : low(__hsub2(a.low, b.low)), high(__hsub2(a.high, b.high)) {}
  template <int i>
  __device__ __forceinline__ float at() const {
    return i % 2 ? __high2float(i / 2 ? high : low) : __low2float(i / 2 ? high : low);
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

/// Which bytes of the words reach `maximum`, 1 to 255: bit 7 of each. Seven bits are compared by a carry into the eighth.
template <int count>
__device__ __forceinline__ std::uint32_t saturated_bytes(const std::uint32_t* words, std::uint32_t maximum) {
  std::uint32_t marks = 0;
  if (maximum > 128) {
    const std::uint32_t add = (256 - maximum) * 0x01010101u;
#pragma unroll
    for (int i = 0; i < count; ++i) marks |= ((words[i] & 0x7F7F7F7Fu) + add) & words[i];
  } else {
    const std::uint32_t add = (128 - maximum) * 0x01010101u;
#pragma unroll
    for (int i = 0; i < count; ++i) marks |= ((words[i] & 0x7F7F7F7Fu) + add) | words[i];
  }
  return marks;
}

}  // namespace datum::fringe
