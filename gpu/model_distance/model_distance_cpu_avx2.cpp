#include "gpu/model_distance/model_distance_cpu.h"

namespace datum::model {

extern const FindRun find_run_avx2;
const FindRun find_run_avx2 = find_run;

}  // namespace datum::model
