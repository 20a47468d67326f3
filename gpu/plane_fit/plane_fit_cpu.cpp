// Which loops an instruction set has in this build.
#include <stdexcept>
#include <string>

#include "gpu/plane_fit/plane_fit_kernels.h"

namespace datum {

extern const PlaneKernels plane_kernels_scalar;
#if defined(__x86_64__)
extern const PlaneKernels plane_kernels_avx2;
extern const PlaneKernels plane_kernels_avx512;
#elif defined(__aarch64__)
extern const PlaneKernels plane_kernels_neon;
#endif

const PlaneKernels& plane_kernels(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return plane_kernels_scalar;
#if defined(__x86_64__)
    case Isa::avx2:
      return plane_kernels_avx2;
    case Isa::avx512:
      return plane_kernels_avx512;
#elif defined(__aarch64__)
    case Isa::neon:
      return plane_kernels_neon;
#endif
    default:
      throw std::runtime_error(std::string("this build carries no plane fit for ") + name_of(isa));
  }
}

}  // namespace datum
