#include <arm_neon.h>

#include "gpu/lu/lu_cpu.h"

namespace datum::lu {
namespace {

struct Floats {
  using Scalar = float;
  using Keys = std::uint32_t __attribute__((vector_size(16)));
  using Vector = float32x4_t;
  static constexpr int width = 4, vectors = 3, columns = 6;
  static inline Vector set(float v) { return vdupq_n_f32(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return vfmsq_f32(c, a, b); }
};

struct Doubles {
  using Scalar = double;
  using Keys = std::uint64_t __attribute__((vector_size(16)));
  using Vector = float64x2_t;
  static constexpr int width = 2, vectors = 3, columns = 6;
  static inline Vector set(double v) { return vdupq_n_f64(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return vfmsq_f64(c, a, b); }
};

}  // namespace

extern const Kernels<float> float_neon;
extern const Kernels<double> double_neon;
const Kernels<float> float_neon = kernels_of<Floats>();
const Kernels<double> double_neon = kernels_of<Doubles>();

}  // namespace datum::lu
