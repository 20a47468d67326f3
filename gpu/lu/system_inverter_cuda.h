// Factors and inverse on a CUDA device. C++17.
#pragma once

#include "gpu/lu/system_inverter.h"

namespace datum {

/// As invert_system, on one stream; keeps its memory for the next. Throws GpuError, also above most_system_rows. One thread at a
/// time.
std::int32_t invert_on_device(const SystemToInvert& system);

}  // namespace datum
