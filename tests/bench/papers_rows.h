// Rows of `datum bench papers`: what a paper prints beside what this machine takes (PAPERS.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace datum::bench {

/// Processor time of all threads, which other programs do not lengthen; the clock's.
struct Taken {
  double processor_ms = 0, wall_ms = 0;
};
/// The median of `rounds`, after one that warms up.
Taken taken(int rounds, const std::function<void()>& work);

struct PapersOptions {
  bool gpu = false, quick = false;
  bool whole = false;    // with the rows that take minutes
  unsigned threads = 0;  // 0: one per core
};

void planes_tables(const PapersOptions& options);
void diffusion_table(const PapersOptions& options);
void parallel_planes_table(const PapersOptions& options);
void lu_figures(const PapersOptions& options);
void fft_tables(const PapersOptions& options);

/// The device's rows of the same tables, or why there are none. Returns 1 where bytes differ from the CPU's, else 0.
int gpu_tables(const PapersOptions& options);

}  // namespace datum::bench
