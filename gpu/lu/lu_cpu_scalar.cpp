#include "gpu/lu/lu_cpu.h"

namespace datum::lu {
namespace {

template <class T, class K>
struct One {
  using Scalar = T;
  using Vector = T;
  using Keys = K;
  static constexpr int width = 1, vectors = 2, columns = 4;
  static inline T set(T v) { return v; }
  static inline T subtract_product(T a, T b, T c) { return fused(-a, b, c); }
};

}  // namespace

extern const Kernels<float> float_scalar;
extern const Kernels<double> double_scalar;
const Kernels<float> float_scalar = kernels_of<One<float, std::uint32_t>>();
const Kernels<double> double_scalar = kernels_of<One<double, std::uint64_t>>();

}  // namespace datum::lu
