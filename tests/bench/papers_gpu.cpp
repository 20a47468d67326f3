#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/core/parallel_for.h"
#include "gpu/diffusion/diffusion_cuda.h"
#include "gpu/parallel_planes/parallel_planes_cuda.h"
#include "tests/bench/diffusion_paper.h"
#include "tests/bench/gpu_timing.h"
#include "tests/bench/paper_kernels.h"
#include "tests/bench/papers_gpu.h"
#include "tests/bench/papers_rows.h"
#include "tests/bench/papers_scenes.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum::bench {

namespace {
int differences = 0;
}

const char* said(bool equal) {
  differences += !equal;
  return equal ? "equal" : "DIFFERENT";
}

namespace {

double median_us(int rounds, const std::function<void()>& work) {
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) us.push_back(wall_us(work));
  return spread_of(us).median;
}

/// Table 3: ratio 0.9, plane (-0.1, 0.1, 3). The paper's own kernels.
void share_rows(const Stream& stream) {
  std::vector<testing::Scene> scenes(400);
  parallel_for(cpu_backend().threads, scenes.size(), [&](std::size_t i, unsigned) {
    scenes[i] = testing::paper_scene({-0.1, 0.1, 3}, 0.9, i + 1);
  });
  std::vector<PlanePoints> planes;
  for (const testing::Scene& s : scenes) planes.push_back(s.points());
  std::vector<double> made, freed, kernel[3];
  for (int round = 0; round < 4; ++round) {
    std::unique_ptr<Baselines> b;
    const double made_us = wall_us([&] { b = std::make_unique<Baselines>(planes, 1.f, 0.999); });
    double kernel_us[3];
    for (int k = 0; k < 3; ++k)
      kernel_us[k] = wall_us([&] {
        b->paper_kernel(stream, k + 1);
        stream.finish();
      });
    const double freed_us = wall_us([&] { b.reset(); });
    if (round == 0) continue;  // loads the kernels
    made.push_back(made_us);
    freed.push_back(freed_us);
    for (int k = 0; k < 3; ++k) kernel[k].push_back(kernel_us[k]);
  }
  std::printf(
      "\nThe multi-plane paper, table 3, its kernels; ms: printed allocation 26, copies 17, kernels 26, 3, "
      "13, freeing 4; "
      "here allocation and copies %.1f, kernels %.2f, %.2f, %.2f, freeing %.2f\n",
      spread_of(made).median * 1e-3, spread_of(kernel[0]).median * 1e-3, spread_of(kernel[1]).median * 1e-3,
      spread_of(kernel[2]).median * 1e-3, spread_of(freed).median * 1e-3);
}

/// Cache or shared memory: ten iterations, fixed kappa.
void neighbour_rows(const Stream& stream) {
  constexpr double printed[3][2] = {{2.00, 1.80}, {1.52, 1.56}, {1.88, 1.72}};
  const std::vector<std::int32_t> counts = paper_volume();
  std::vector<float> field(counts.size());
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<float>(counts[i] >> 19);
  cuda::Buffer<float> a, b;
  std::printf("\nThe diffusion paper's question, ten iterations of its form; s: cache, shared memory\n");
  for (int row = 0; row < 3; ++row) {
    const PaperDiffusion s{paper_grid, 81, 1.f / 7, 8 << row};
    double us[2];
    std::vector<float> result[2];
    for (const Neighbours by : {Neighbours::cache, Neighbours::shared}) {
      const auto at = static_cast<std::size_t>(by);
      cuda::to_device(a, field, "volume");
      b.reserve(field.size());
      const Replay replay(stream, [&](CudaStream to) {
        for (int i = 0; i < 5; ++i) {
          paper_iteration(to, s, by, a.get(), b.get());
          paper_iteration(to, s, by, b.get(), a.get());
        }
      });
      std::vector<double> all;
      for (int i = 0; i < 5; ++i) all.push_back(replay.device_us());
      us[at] = spread_of(all).median;
      result[at].resize(field.size());
      cuda::check(
          cudaMemcpy(result[at].data(), a.get(), field.size() * sizeof(float), cudaMemcpyDeviceToHost),
          "volume");
    }
    std::printf("%2d x %2d: printed %5.2f %5.2f; here %8.5f %8.5f, bytes %s\n", s.side, s.side,
                printed[row][0], printed[row][1], us[0] * 1e-6, us[1] * 1e-6,
                said(equal(result[0], result[1])));
  }
}

void diffusion_rows(const PapersOptions& options) {
  std::printf("\nThe diffusion paper, table 2; s: upload from and results to pinned memory included\n");
  const std::vector<std::int32_t> field = paper_volume();
  cuda::Buffer<std::int32_t> counts(cuda::Where::host_mapped);
  counts.reserve(field.size());
  const Stream stream;
  CudaDiffusion device;
  for (const VolumeRow& row : volume_rows)
    for (const bool fixed : {true, false}) {
      const DiffusionSettings settings = paper_diffusion(fixed, row.iterations);
      std::memcpy(counts.get(), field.data(), field.size() * sizeof field[0]);
      device.prepare(counts.get(), paper_grid, settings, cpu_backend());
      const double us = wall_us([&] {
        device.upload(stream);
        device.launch(stream);
        device.fetch(stream, counts.get());
      });
      const char* bytes = "";
      if (row.iterations == 10 && !options.quick) {
        std::vector<std::int32_t> expected = field;
        diffuse(expected.data(), paper_grid, settings, cpu_backend());
        bytes = said(std::memcmp(expected.data(), counts.get(), expected.size() * sizeof expected[0]) == 0);
      }
      const double* const printed = fixed ? row.fixed : row.computed;
      std::printf("%4u iterations, %-8s kappa: printed %7.2f %6.2f %6.2f; here %8.5f %s\n", row.iterations,
                  fixed ? "fixed" : "computed", printed[0], printed[1], printed[2], us * 1e-6, bytes);
    }
}

void stack_rows_on(const Stream& stream) {
  std::printf("\nThe thesis, table 4.1; ms: upload from pinned memory and results included, kernels alone\n");
  for (const StackRow& row : stack_rows) {
    const testing::Stack stack = paper_stack(row);
    auto samples = stack.samples();
    std::vector<cuda::Buffer<WeightedPoint>> pinned;
    for (PlaneSample& s : samples) {
      auto& buffer = pinned.emplace_back(cuda::Where::host_mapped);
      buffer.reserve(s.size);
      std::memcpy(static_cast<void*>(buffer.get()), s.points, s.size * sizeof *s.points);
      s.points = buffer.get();
    }
    CudaParallelPlanes fitter;
    fitter.prepare(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(), stack_settings(),
                   false);
    testing::StackResult result(stack), expected(stack);
    const double whole = median_us(11, [&] {
      fitter.upload(stream);
      fitter.launch(stream);
      fitter.fetch(stream, result.shared.data(), result.planes.data());
    });
    const Replay replay(stream, [&](CudaStream s) { fitter.launch(s); });
    std::vector<double> us;
    for (int i = 0; i < 20; ++i) us.push_back(replay.device_us());
    fit_parallel_planes(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(),
                        stack_settings(), cpu_backend(), expected.shared.data(), expected.planes.data());
    std::printf("%3zu planes x %8zu: printed %6.1f %5.1f; here %7.3f, %7.3f %s\n", row.planes, row.points,
                row.printed_cpu, row.printed_gpu, whole * 1e-3, spread_of(us).median * 1e-3,
                said(result.bytes() == expected.bytes()));
  }
}

}  // namespace

int gpu_tables(const PapersOptions& options) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::fprintf(stderr, "bench_papers: %s\n", device.why.c_str());
    return 1;
  }
  std::printf("%s; the multi-plane paper's other tables: bench planes --gpu\n", device.why.c_str());
  const Stream stream;
  share_rows(stream);
  board_gpu_rows(stream);
  neighbour_rows(stream);
  diffusion_rows(options);
  stack_rows_on(stream);
  ladder_rows(stream);
  lu_gpu_figures(stream, options);
  fft_gpu_tables(stream);
  return differences > 0 ? 1 : 0;
}

}  // namespace datum::bench
