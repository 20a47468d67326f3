#include "gpu/fft/fft_avx2_lanes.h"
#include "gpu/fft/fft_cpu.h"

namespace datum::fft {

extern const Kernels<float> float_avx2;
extern const Kernels<double> double_avx2;
const Kernels<float> float_avx2 = Lanes<Avx2Float>::kernels();
const Kernels<double> double_avx2 = Lanes<Avx2Double>::kernels();

}  // namespace datum::fft
