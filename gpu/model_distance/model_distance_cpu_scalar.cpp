#include "gpu/model_distance/model_distance_cpu.h"

namespace datum::model {

extern const FindRun find_run_scalar;
const FindRun find_run_scalar = find_run;

}  // namespace datum::model
