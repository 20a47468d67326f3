#include "gpu/fft/fft_cpu.h"

namespace datum::fft {
namespace {

template <class Scalar>
struct OneLane : Scalar {
  using Word = typename Scalar::Word;
  using Fewer = OneLane;
  static Word load(const Word* p) { return *p; }
  static void store(Word* p, Word v) { *p = v; }
  static void transpose(Word*) {}
  static void load_pairs(const Word* p, Word* re, Word* im) {
    *re = p[0];
    *im = p[1];
  }
  static void store_pairs(Word* p, Word re, Word im) {
    p[0] = re;
    p[1] = im;
  }
};

}  // namespace

extern const Kernels<float> float_scalar;
extern const Kernels<double> double_scalar;
const Kernels<float> float_scalar = Lanes<OneLane<ScalarFloat>>::kernels();
const Kernels<double> double_scalar = Lanes<OneLane<ScalarDouble>>::kernels();

}  // namespace datum::fft
