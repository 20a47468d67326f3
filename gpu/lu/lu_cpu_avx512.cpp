#include <immintrin.h>

#include "gpu/lu/lu_cpu.h"

namespace datum::lu {
namespace {

struct Floats {
  using Scalar = float;
  using Keys = std::uint32_t __attribute__((vector_size(64)));
  using Vector = __m512;
  static constexpr int width = 16, vectors = 3, columns = 8;
  static inline Vector set(float v) { return _mm512_set1_ps(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return _mm512_fnmadd_ps(a, b, c); }
};

struct Doubles {
  using Scalar = double;
  using Keys = std::uint64_t __attribute__((vector_size(64)));
  using Vector = __m512d;
  static constexpr int width = 8, vectors = 3, columns = 8;
  static inline Vector set(double v) { return _mm512_set1_pd(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return _mm512_fnmadd_pd(a, b, c); }
};

}  // namespace

extern const Kernels<float> float_avx512;
extern const Kernels<double> double_avx512;
const Kernels<float> float_avx512 = kernels_of<Floats>();
const Kernels<double> double_avx512 = kernels_of<Doubles>();

}  // namespace datum::lu
