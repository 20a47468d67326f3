#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/diffusion/diffusion_cuda.h"
#include "gpu/fft/fft_cuda.h"
#include "gpu/lu/lu_cuda.h"
#include "gpu/parallel_planes/parallel_planes_cuda.h"
#include "tests/bench/gpu_timing.h"
#include "tests/bench/papers_rows.h"
#include "tests/bench/papers_scenes.h"

namespace datum::bench {
namespace {

int differences = 0;

const char* said(bool equal) {
  differences += !equal;
  return equal ? "equal" : "DIFFERENT";
}

template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

double median_us(int rounds, const std::function<void()>& work) {
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) us.push_back(wall_us(work));
  return spread_of(us).median;
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

void lu_rows(const Stream& stream) {
  constexpr std::uint32_t n = 1024;
  const std::vector<float> a = paper_matrix(n);
  CudaLu<float> lu;
  lu.prepare(n, 1);
  lu.upload(stream, a.data());
  const Replay replay(stream, [&](CudaStream s) { lu.launch(s); });
  std::vector<double> us;
  for (int i = 0; i < 11; ++i) us.push_back(replay.device_us());
  std::vector<float> factors(a.size()), expected = a;
  std::vector<std::int32_t> pivots(n), expected_pivots(n);
  std::int32_t info = 0;
  lu.fetch(stream, factors.data(), pivots.data(), &info);
  lu_factor(expected.data(), n, n, expected_pivots.data(), cpu_backend());
  std::printf(
      "\nThe LU paper, 1,024 rows, float, partial pivoting: %.0f us %s; above 1,024 the CPU factors\n",
      spread_of(us).median, said(equal(factors, expected) && equal(pivots, expected_pivots)));
}

void fft_rows(const Stream& stream) {
  std::printf(
      "\nThe FFT paper, tables 1 and 2: forward and inverse, twice; printed ms, here us, one row; 4,096 "
      "rows\n");
  for (const TransformRow& row : transform_rows) {
    CudaFft<float> fft(row.points);
    constexpr std::size_t rows = 4096;
    const auto signal = paper_signal(row.points * rows);
    cuda::Buffer<std::complex<float>> values;
    cuda::to_device(values, signal, "signal");
    const auto time = [&](std::size_t count) {
      const Replay replay(stream, [&](CudaStream s) {
        for (int i = 0; i < 2; ++i) {
          fft.forward(s, values.get(), count, values.get());
          fft.inverse(s, values.get(), count, values.get());
        }
      });
      std::vector<double> us;
      for (int i = 0; i < 20; ++i) us.push_back(replay.device_us());
      return spread_of(us).median;
    };
    const double one = time(1), many = time(rows);
    cuda::to_device(values, signal, "signal");
    fft.forward(stream, values.get(), rows, values.get());
    stream.finish();
    std::vector<std::complex<float>> found(signal.size()), expected(signal.size());
    cuda::check(
        cudaMemcpy(found.data(), values.get(), found.size() * sizeof found[0], cudaMemcpyDeviceToHost),
        "bins");
    Fft<float>(row.points).forward(signal.data(), rows, cpu_backend(), expected.data());
    std::printf("%6zu points: printed %5.2f %6.3f; here %7.2f; %8.1f %s\n", row.points, row.printed_cufft,
                row.printed_pfft, one, many, said(equal(found, expected)));
  }
}

}  // namespace

int gpu_tables(const PapersOptions& options) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::fprintf(stderr, "bench_papers: %s\n", device.why.c_str());
    return 1;
  }
  std::printf("%s; the multi-plane paper's rows: bench planes --gpu\n", device.why.c_str());
  const Stream stream;
  diffusion_rows(options);
  stack_rows_on(stream);
  lu_rows(stream);
  fft_rows(stream);
  return differences > 0 ? 1 : 0;
}

}  // namespace datum::bench
