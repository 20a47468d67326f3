#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "tests/bench/fringe_gpu.h"

void datum::bench::fringe_gpu_rows(testing::RawFringes<std::uint8_t>&, const FringePattern&,
                                   const FringeLimits&, const HeightModel&, const testing::FringeResult&) {
  std::printf("no GPU rows: %s\n", probe_cuda_device().why.c_str());
}
