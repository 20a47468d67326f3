// The papers' workloads and printed values.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "gpu/diffusion/diffusion.h"
#include "tests/gpu/lu_scenes.h"
#include "tests/gpu/parallel_planes_scenes.h"

namespace datum::bench {

// The diffusion paper's table 2: seconds of CPU, cache and shared memory with 16 x 16 threads.
struct VolumeRow {
  std::uint32_t iterations;
  double fixed[3], computed[3];
};
constexpr VolumeRow volume_rows[] = {{10, {122.83, 1.52, 1.56}, {137.71, 2.61, 2.67}},
                                     {30, {367.39, 4.10, 4.28}, {411.28, 7.48, 7.63}},
                                     {50, {585.68, 6.71, 7.02}, {657.06, 12.34, 12.58}},
                                     {100, {1169.78, 13.23, 13.83}, {1314.27, 24.49, 24.98}}};
constexpr DiffusionGrid paper_grid{512, 512, 246};

/// Counts as of a scan of 12 bits, in units of 2^-19: shells with noise.
inline std::vector<std::int32_t> paper_volume() {
  std::mt19937 random(1);
  std::vector<std::int32_t> counts(paper_grid.size());
  std::size_t i = 0;
  for (std::uint32_t z = 0; z < paper_grid.nz; ++z)
    for (std::uint32_t y = 0; y < paper_grid.ny; ++y)
      for (std::uint32_t x = 0; x < paper_grid.nx; ++x, ++i) {
        const double r = std::hypot(x - 256.0, y - 256.0, 2.0 * z - 246.0);
        const int level = static_cast<int>(r / 40) % 3 * 700 + static_cast<int>(random() % 61) - 30;
        counts[i] = level * (1 << 19);
      }
  return counts;
}

/// The paper's conduction, exp(-(d / kappa)^2); kappa of 81 units where it is fixed.
inline DiffusionSettings paper_diffusion(bool fixed, std::uint32_t iterations) {
  return {Conduction::exponential, fixed ? KappaRule::fixed : KappaRule::mean_gradient,
          fixed ? 81.0 * (1 << 19) : 0, 1.0 / 7, iterations};
}

// The thesis' table 4.1, ms.
struct StackRow {
  std::size_t planes, points;
  double printed_cpu, printed_gpu;
};
constexpr StackRow stack_rows[] = {
    {2, 10000, 0.9, 0.2},    {5, 10000, 2.7, 0.3},      {10, 10000, 5.3, 0.5},
    {2, 100000, 7.3, 0.9},   {5, 100000, 15.6, 1.7},    {10, 100000, 31.3, 3.2},
    {2, 1000000, 86.8, 7.7}, {5, 1000000, 204.9, 15.8}, {10, 1000000, 413.8, 29.7}};

inline testing::Stack paper_stack(const StackRow& row) {
  testing::Stack stack;
  std::mt19937_64 random(1);
  testing::add_set(stack, std::vector<std::size_t>(row.planes, row.points), {}, random, true);
  return stack;
}
inline ParallelPlanesSettings stack_settings() {
  ParallelPlanesSettings s;
  s.half_range = 64;
  return s;
}

inline std::vector<float> paper_matrix(std::uint32_t n) { return testing::random_matrix<float>(n, n); }

// The FFT paper's tables 1 and 2, ms.
struct TransformRow {
  std::size_t points;
  double printed_cufft, printed_pfft;
};
constexpr TransformRow transform_rows[] = {{256, 0.99, 0.56},  {512, 0.96, 0.65},  {1024, 1.01, 0.73},
                                           {2048, 1.12, 0.93}, {4096, 1.04, 0.96}, {8192, 1.12, 1.082}};

inline std::vector<std::complex<float>> paper_signal(std::size_t count) {
  std::mt19937 random(3);
  std::vector<std::complex<float>> values(count);
  for (auto& v : values)
    v = {static_cast<float>(random() % 2001) / 1000 - 1, static_cast<float>(random() % 2001) / 1000 - 1};
  return values;
}

}  // namespace datum::bench
