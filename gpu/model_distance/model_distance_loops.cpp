// Compiled once for each instruction set; the compiler's lanes differ.
#include "gpu/core/isa_table.h"
#include "gpu/model_distance/model_distance_cpu.h"

namespace datum::model {

extern const FindRun DATUM_OF_ISA(find_run);
const FindRun DATUM_OF_ISA(find_run) = find_run;

}  // namespace datum::model
