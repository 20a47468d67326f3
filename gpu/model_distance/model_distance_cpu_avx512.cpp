#include "gpu/model_distance/model_distance_cpu.h"

namespace datum::model {

extern const FindRun find_run_avx512;
const FindRun find_run_avx512 = find_run;

}  // namespace datum::model
