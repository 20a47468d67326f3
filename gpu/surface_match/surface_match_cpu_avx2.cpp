#include "gpu/surface_match/surface_match_cpu.h"

namespace datum::match {

extern const Kernels kernels_avx2;
const Kernels kernels_avx2{match_points, match_facets};

}  // namespace datum::match
