#include "tests/bench/fft_gpu.h"

#include <cstdio>

#include "gpu/core/cuda_device.h"

void datum::bench::fft_gpu_rows() { std::printf("no GPU rows: %s\n", probe_cuda_device().why.c_str()); }
