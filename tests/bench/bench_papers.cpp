// datum bench papers: the papers' tables on this machine, each beside the printed values; PAPERS.md says what is where.
//
// usage: bench_papers [--gpu] [--quick | --whole]     --gpu: the device's rows alone; --whole: with those that take minutes
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gpu/core/backend.h"
#include "tests/bench/papers_rows.h"

namespace datum::bench {

Taken taken(int rounds, const std::function<void()>& work) {
  const auto processor_ms = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
  };
  std::vector<double> processor, wall;
  for (int i = -1; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const double since = processor_ms();
    work();
    if (i < 0) continue;
    processor.push_back(processor_ms() - since);
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  const auto median = [](std::vector<double>& v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return *middle;
  };
  return {median(processor), median(wall)};
}

}  // namespace datum::bench

int main(int argc, char** argv) {
  using namespace datum::bench;
  PapersOptions options;
  for (int i = 1; i < argc; ++i) {
    const bool gpu = std::strcmp(argv[i], "--gpu") == 0, quick = std::strcmp(argv[i], "--quick") == 0,
               whole = std::strcmp(argv[i], "--whole") == 0;
    if (!gpu && !quick && !whole) {
      std::fprintf(stderr, "bench_papers: '%s' is no option; allowed: --gpu, --quick, --whole\n", argv[i]);
      return 64;
    }
    options.gpu = options.gpu || gpu;
    options.quick = options.quick || quick;
    options.whole = options.whole || whole;
  }
  const datum::Backend all = datum::cpu_backend();
  options.threads = all.threads;
  if (options.gpu) return gpu_tables(options);
  std::printf("%s\n", all.why.c_str());
  planes_tables(options);
  diffusion_table(options);
  parallel_planes_table(options);
  lu_figures(options);
  fft_tables(options);
}
