#include <cstdio>

#include "tests/bench/gpu_table.h"

namespace datum::bench {

int gpu_table(int, char**) {
  std::fputs(
      "bench planes --gpu: this build carries no CUDA; install nvcc, or name it by CMAKE_CUDA_COMPILER\n",
      stderr);
  return 2;
}

}  // namespace datum::bench
