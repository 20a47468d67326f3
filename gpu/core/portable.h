// What differs between the compilers that read a *_math.h: the only test for nvcc in the tree. C++17.
//
// DATUM_HD functions are always inlined, so that no copy made with one instruction set's flags is ever linked
// into code that must run without it. DATUM_MEMBER marks members of classes that hosts and devices share; only code
// for the common instruction set may call them.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define DATUM_HD static __host__ __device__ __forceinline__
#define DATUM_MEMBER __host__ __device__
#else
#define DATUM_HD static inline __attribute__((always_inline))
#define DATUM_MEMBER
#endif

namespace datum {

DATUM_HD std::uint32_t bits_of(float v) {
  std::uint32_t b;  // NOLINT(cppcoreguidelines-init-variables): written next
  std::memcpy(&b, &v, sizeof b);
  return b;
}

DATUM_HD float float_of(std::uint32_t b) {
  float v;  // NOLINT(cppcoreguidelines-init-variables): written next
  std::memcpy(&v, &b, sizeof v);
  return v;
}

}  // namespace datum
