#include <immintrin.h>

#include "gpu/lu/lu_cpu.h"

namespace datum::lu {
namespace {

struct Floats {
  using Scalar = float;
  using Keys = std::uint32_t __attribute__((vector_size(32)));
  using Vector = __m256;
  static constexpr int width = 8, vectors = 2, columns = 6;
  static inline Vector set(float v) { return _mm256_set1_ps(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return _mm256_fnmadd_ps(a, b, c); }
};

struct Doubles {
  using Scalar = double;
  using Keys = std::uint64_t __attribute__((vector_size(32)));
  using Vector = __m256d;
  static constexpr int width = 4, vectors = 2, columns = 6;
  static inline Vector set(double v) { return _mm256_set1_pd(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return _mm256_fnmadd_pd(a, b, c); }
};

}  // namespace

extern const Kernels<float> float_avx2;
extern const Kernels<double> double_avx2;
const Kernels<float> float_avx2 = kernels_of<Floats>();
const Kernels<double> double_avx2 = kernels_of<Doubles>();

}  // namespace datum::lu
