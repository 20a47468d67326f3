#pragma once

#include "tests/gpu/fringe_scenes.h"

namespace datum::bench {

/// Prints rows of the device, or why there are none. `expected`: the CPU's classes, columns and heights, which the
/// device's bytes are compared with.
void fringe_gpu_rows(testing::RawFringes<std::uint8_t>& raw, const FringePattern& pattern,
                     const FringeLimits& limits, const HeightModel& model,
                     const testing::FringeResult& expected);

}  // namespace datum::bench
