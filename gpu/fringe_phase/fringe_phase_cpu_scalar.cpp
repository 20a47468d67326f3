#include "gpu/fringe_phase/fringe_phase_cpu.h"

namespace datum::fringe {

extern const MeasureRow measure_row_scalar;
const MeasureRow measure_row_scalar = measure_any_row<OnePixel>;

}  // namespace datum::fringe
