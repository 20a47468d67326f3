#include <cstdio>

#include "tests/bench/papers_rows.h"

namespace datum::bench {

int gpu_tables(const PapersOptions&) {
  std::fprintf(stderr, "bench_papers: this build is without CUDA\n");
  return 1;
}

}  // namespace datum::bench
