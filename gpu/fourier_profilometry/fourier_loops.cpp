// Compiled once for each instruction set.
#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/fourier_profilometry/fourier_cpu.h"

namespace datum::fourier {
namespace {

struct Words : Simd {
  using Word = float;
};

}  // namespace

extern const Kernels DATUM_OF_ISA(kernels);
const Kernels DATUM_OF_ISA(kernels) = PairLanes<Words>::kernels();

}  // namespace datum::fourier
