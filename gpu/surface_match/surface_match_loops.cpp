// Compiled once for each instruction set; the compiler's lanes differ.
#include "gpu/core/isa_table.h"
#include "gpu/surface_match/surface_match_cpu.h"

namespace datum::match {

extern const Kernels DATUM_OF_ISA(kernels);
const Kernels DATUM_OF_ISA(kernels){match_points, match_facets};

}  // namespace datum::match
