#include "gpu/fft/fft_cpu.h"

namespace datum::fft {
namespace {

template <class Scalar>
struct OneLane : Scalar {
  using Word = typename Scalar::Word;
  static Word load(const Word* p) { return *p; }
  static void store(Word* p, Word v) { *p = v; }
};

}  // namespace

extern const Kernels<float> float_scalar;
extern const Kernels<double> double_scalar;
const Kernels<float> float_scalar = Lanes<OneLane<ScalarFloat>>::kernels();
const Kernels<double> double_scalar = Lanes<OneLane<ScalarDouble>>::kernels();

}  // namespace datum::fft
