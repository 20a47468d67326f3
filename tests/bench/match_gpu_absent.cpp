#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "tests/bench/match_gpu.h"

void datum::bench::match_gpu_rows(const TriangleModel&, const std::vector<ModelPoint>&,
                                  const std::vector<ModelPoint>&, float) {
  std::printf(" no GPU rows: %s\n", probe_cuda_device().why.c_str());
}
