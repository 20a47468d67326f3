#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "gpu/diffusion/diffusion.h"
#include "gpu/fft/fft.h"
#include "gpu/lu/lu.h"
#include "tests/bench/fft_peers.h"
#include "tests/bench/papers_rows.h"
#include "tests/bench/papers_scenes.h"

namespace datum::bench {

void diffusion_table(const PapersOptions& options) {
  std::printf(
      "\nThe diffusion paper, table 2: 512 x 512 x 246; s. Here: the whole call, one thread's processor "
      "time, all threads' "
      "clock\n%10s %-14s %9s %11s %11s %10s %12s\n",
      "iterations", "kappa", "their CPU", "their cache", "their shared", "one thread", "all threads");
  const std::vector<std::int32_t> field = paper_volume();
  std::vector<std::int32_t> counts;
  for (const VolumeRow& row : volume_rows) {
    if (options.quick && row.iterations > 10) continue;
    for (const bool fixed : {true, false}) {
      const auto run = [&](unsigned threads) {
        return taken(1, [&] {
          counts = field;
          diffuse(counts.data(), paper_grid, paper_diffusion(fixed, row.iterations), cpu_backend(threads));
        });
      };
      const double* const printed = fixed ? row.fixed : row.computed;
      const double one = run(1).processor_ms * 1e-3;
      std::printf("%10u %-14s %9.2f %11.2f %11.2f %10.2f %12.2f\n", row.iterations,
                  fixed ? "fixed" : "computed", printed[0], printed[1], printed[2], one,
                  run(options.threads).wall_ms * 1e-3);
    }
  }
}

void parallel_planes_table(const PapersOptions& options) {
  std::printf(
      "\nThe thesis, table 4.1: parallel planes; ms. Here: one thread's processor time, all threads' "
      "clock\n%6s %9s %9s "
      "%9s %10s %12s\n",
      "planes", "points", "their CPU", "their K40", "one thread", "all threads");
  for (const StackRow& row : stack_rows) {
    if (options.quick && row.points > 100000) continue;
    const testing::Stack stack = paper_stack(row);
    const auto samples = stack.samples();
    testing::StackResult result(stack);
    const auto run = [&](unsigned threads) {
      return taken(5, [&] {
        fit_parallel_planes(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(),
                            stack_settings(), cpu_backend(threads), result.shared.data(),
                            result.planes.data());
      });
    };
    std::printf("%6zu %9zu %9.1f %9.1f %10.2f %12.2f\n", row.planes, row.points, row.printed_cpu,
                row.printed_gpu, run(1).processor_ms, run(options.threads).wall_ms);
  }
}

void lu_figures(const PapersOptions& options) {
  std::printf(
      "\nThe LU paper, figures 6 and 7 (pictures: no number is printed): float, with partial pivoting. One "
      "thread's "
      "processor time, all threads' clock\n%6s %12s %9s %14s\n",
      "n", "one thread ms", "GFLOP/s", "all threads ms");
  for (const std::uint32_t n : {1024u, 2048u, 3072u, 4096u}) {
    if (options.quick && n > 1024) continue;
    const std::vector<float> a = paper_matrix(n);
    std::vector<float> f;
    std::vector<std::int32_t> pivots(n);
    const auto run = [&](unsigned threads) {
      return taken(3, [&] {
        f = a;
        lu_factor(f.data(), n, n, pivots.data(), cpu_backend(threads));
      });
    };
    const double one = run(1).processor_ms;
    std::printf("%6u %12.1f %9.1f %14.1f\n", n, one, 2e-6 / 3 * std::pow(n, 3) / one,
                run(options.threads).wall_ms);
  }
}

void fft_tables(const PapersOptions& options) {
  std::printf(
      "\nThe FFT paper, tables 1 and 2: forward and inverse, twice; theirs in ms with launches, here in us. "
      "One row, one "
      "thread;\nthe paper's form (forward four times); 1,024 rows, all threads, for each row\n%7s %11s %10s "
      "%9s %14s "
      "%12s\n",
      "points", "their CUFFT", "their pFFT", "one row", "paper's form", "of 1,024");
  for (const TransformRow& row : transform_rows) {
    constexpr std::size_t rows = 1024;
    const Fft<float> fft(row.points);
    std::vector<Complex> values = paper_signal(row.points * rows), other(row.points), third(row.points);
    const auto twice = [&](std::size_t count, const Backend& backend) {
      for (int i = 0; i < 2; ++i) {
        fft.forward(values.data(), count, backend, values.data());
        fft.inverse(values.data(), count, backend, values.data());
      }
    };
    constexpr int many = 200;  // for a clock's tick
    const double one = taken(5,
                             [&] {
                               for (int i = 0; i < many; ++i) twice(1, cpu_backend(1));
                             })
                           .processor_ms /
                       many;
    const double form = taken(5, [&] {
                          for (int i = 0; i < 4; ++i)
                            pease_transform(values.data(), row.points, other.data(), third.data());
                        }).processor_ms;
    const double batch = taken(5, [&] { twice(rows, cpu_backend(options.threads)); }).wall_ms / rows;
    std::printf("%7zu %11.2f %10.3f %9.2f %14.1f %12.2f\n", row.points, row.printed_cufft, row.printed_pfft,
                one * 1e3, form * 1e3, batch * 1e3);
  }
}

}  // namespace datum::bench
