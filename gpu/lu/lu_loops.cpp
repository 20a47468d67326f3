// Compiled once for each instruction set.
#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/lu/lu_cpu.h"

namespace datum::lu {
namespace {

#if defined(DATUM_ISA_AVX512)
using Keys32 = std::uint32_t __attribute__((vector_size(64)));
using Keys64 = std::uint64_t __attribute__((vector_size(64)));
constexpr int tile_vectors = 3, tile_columns = 8;
inline __m512 broadcast(float v) { return _mm512_set1_ps(v); }
inline __m512d broadcast(double v) { return _mm512_set1_pd(v); }
inline __m512 minus_product(__m512 a, __m512 b, __m512 c) { return _mm512_fnmadd_ps(a, b, c); }
inline __m512d minus_product(__m512d a, __m512d b, __m512d c) { return _mm512_fnmadd_pd(a, b, c); }
#elif defined(DATUM_ISA_AVX2)
using Keys32 = std::uint32_t __attribute__((vector_size(32)));
using Keys64 = std::uint64_t __attribute__((vector_size(32)));
constexpr int tile_vectors = 2, tile_columns = 6;
inline __m256 broadcast(float v) { return _mm256_set1_ps(v); }
inline __m256d broadcast(double v) { return _mm256_set1_pd(v); }
inline __m256 minus_product(__m256 a, __m256 b, __m256 c) { return _mm256_fnmadd_ps(a, b, c); }
inline __m256d minus_product(__m256d a, __m256d b, __m256d c) { return _mm256_fnmadd_pd(a, b, c); }
#elif defined(DATUM_ISA_NEON)
using Keys32 = std::uint32_t __attribute__((vector_size(16)));
using Keys64 = std::uint64_t __attribute__((vector_size(16)));
constexpr int tile_vectors = 3, tile_columns = 6;
inline float32x4_t broadcast(float v) { return vdupq_n_f32(v); }
inline float64x2_t broadcast(double v) { return vdupq_n_f64(v); }
inline float32x4_t minus_product(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmsq_f32(c, a, b); }
inline float64x2_t minus_product(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmsq_f64(c, a, b); }
#else
using Keys32 = std::uint32_t;
using Keys64 = std::uint64_t;
constexpr int tile_vectors = 2, tile_columns = 4;
template <class T>
inline T broadcast(T v) {
  return v;
}
template <class T>
inline T minus_product(T a, T b, T c) {
  return fused(-a, b, c);
}
#endif

template <class T, class K>
struct Lanes {
  using Scalar = T;
  using Vector = decltype(broadcast(T{}));
  using Keys = K;
  static constexpr int width = sizeof(Vector) / sizeof(T), vectors = tile_vectors, columns = tile_columns;
  static inline Vector set(T v) { return broadcast(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return minus_product(a, b, c); }
};

}  // namespace

extern const Kernels<float> DATUM_OF_ISA(float);
extern const Kernels<double> DATUM_OF_ISA(double);
const Kernels<float> DATUM_OF_ISA(float) = kernels_of<Lanes<float, Keys32>>();
const Kernels<double> DATUM_OF_ISA(double) = kernels_of<Lanes<double, Keys64>>();

}  // namespace datum::lu
