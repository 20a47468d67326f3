#pragma once

#include <array>

#include "tests/gpu/parallel_planes_scenes.h"

namespace datum::bench {

/// Prints rows of the device, or why there are none. `expected`: the CPU's, which the device's bytes are compared with.
void parallel_planes_gpu_rows(const testing::Stack& stack, const ParallelPlanesSettings& settings,
                              const testing::StackResult& expected);

}  // namespace datum::bench
