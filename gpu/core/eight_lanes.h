// Eight floats at a time, as the compiler's own vectors. Only for files that are compiled for one instruction set each: the
// unnamed namespace keeps each file's copy to itself.
#pragma once

#include <cstdint>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace datum {
namespace {

inline constexpr std::uint32_t lane_count = 8;
using Lanes = float __attribute__((vector_size(sizeof(float) * lane_count)));
using Marks = std::int32_t __attribute__((vector_size(sizeof(float) * lane_count)));

inline Lanes load(const float* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// A bit for each lane that is marked.
inline std::uint32_t bits_of_marks(const Marks& marks) {
#if defined(__AVX__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(marks)));
#else
  std::uint32_t bits = 0;
  for (std::uint32_t k = 0; k < lane_count; ++k) bits |= static_cast<std::uint32_t>(marks[k] & 1) << k;
  return bits;
#endif
}

}  // namespace
}  // namespace datum
