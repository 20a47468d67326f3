#include "gpu/surface_match/surface_match_cpu.h"

namespace datum::match {

extern const Kernels kernels_scalar;
const Kernels kernels_scalar{match_points, match_facets};

}  // namespace datum::match
