#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "tests/bench/parallel_planes_gpu.h"

void datum::bench::parallel_planes_gpu_rows(const testing::Stack&, const ParallelPlanesSettings&,
                                            const testing::StackResult&) {
  std::printf("no GPU rows: %s\n", probe_cuda_device().why.c_str());
}
