#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "tests/bench/lu_rows.h"

namespace datum::bench {

void lu_gpu_rows() { std::printf("no GPU rows: %s\n", probe_cuda_device().why.c_str()); }

}  // namespace datum::bench
