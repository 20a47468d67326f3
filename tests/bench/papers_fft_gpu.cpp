#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gpu/core/cuda_support.cuh"
#include "gpu/fft/fft_cuda.h"
#include "tests/bench/fft_chain.h"
#include "tests/bench/papers_gpu.h"
#include "tests/bench/papers_scenes.h"

namespace datum::bench {
namespace {

/// The paper's kernel, four transforms as printed: in one block forward alone, in several both ways.
void paper_form(const Stream& stream, std::size_t points, const std::vector<std::complex<float>>& expected) {
  const auto signal = paper_signal(points);
  cuda::Buffer<std::complex<float>> a, b, c;
  cuda::Buffer<unsigned> arrivals;
  cuda::to_device(a, signal, "signal");
  b.reserve(points);
  c.reserve(points);
  const auto floats = [](const cuda::Buffer<std::complex<float>>& buffer) {
    return reinterpret_cast<float*>(buffer.get());
  };
  const auto n = static_cast<unsigned>(points);
  const auto time = [&](const std::function<void(CudaStream)>& work) {
    const Replay replay(stream, work);
    std::vector<double> us;
    for (int i = 0; i < 20; ++i) us.push_back(replay.device_us());
    return spread_of(us).median;
  };
  const double one = time([&](CudaStream s) {
    for (int i = 0; i < 2; ++i) {
      pease_rows(s, floats(a), floats(b), floats(c), n, 1);
      pease_rows(s, floats(b), floats(a), floats(c), n, 1);
    }
  });
  std::printf(" %7.1f", one);
  if (points <= 1024) return static_cast<void>(std::printf("\n"));
  cuda::to_device(a, signal, "signal");
  cuda::zeroed(arrivals, 1 + 2 * points / 1024, "arrivals");
  pease_blocks(stream, floats(a), floats(b), floats(c), n, false, arrivals.get());
  stream.finish();
  std::vector<std::complex<float>> found(points);
  cuda::check(cudaMemcpy(found.data(), b.get(), points * sizeof found[0], cudaMemcpyDeviceToHost), "bins");
  double off = 0, size = 0;
  for (std::size_t i = 0; i < points; ++i) {
    off += std::norm(std::complex<double>(found[i]) - std::complex<double>(expected[i]));
    size += std::norm(std::complex<double>(expected[i]));
  }
  const double several = time([&](CudaStream s) {
    for (int i = 0; i < 2; ++i) {
      pease_blocks(s, floats(a), floats(b), floats(c), n, false, arrivals.get());
      pease_blocks(s, floats(b), floats(a), floats(c), n, true, arrivals.get());
    }
  });
  std::printf(" %7.1f, off by %.1e\n", several, std::sqrt(off / size));
}

}  // namespace

void fft_gpu_tables(const Stream& stream) {
  std::printf(
      "\nThe FFT paper, tables 1 and 2: forward and inverse, twice; printed ms, here us, one row; 4,096 "
      "rows; the paper's form in one block, in several\n");
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
    std::printf("%6zu points: printed %5.2f %6.3f; here %7.2f; %8.1f %s;", row.points, row.printed_cufft,
                row.printed_pfft, one, many, said(equal(found, expected)));
    paper_form(stream, row.points, expected);
  }
}

}  // namespace datum::bench
