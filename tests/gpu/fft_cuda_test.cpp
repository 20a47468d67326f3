// Fourier transforms on a CUDA device give the CPU's bytes.
#include "gpu/fft/fft_cuda.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/device_copy.h"
#include "tests/gpu/fft_scenes.h"

namespace datum {
namespace {

using namespace testing;

class FftCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

template <class Word>
Transformed<Word> on_device(std::size_t points, std::size_t rows, std::uint64_t seed) {
  using Complex = std::complex<Word>;
  CudaFft<Word> fft(points);
  const std::size_t bins = points / 2 + 1;
  const DeviceCopy<Complex> in(complex_noise<Word>(points * rows, seed)),
      in_bins(complex_noise<Word>(bins * rows, seed + 1));
  const DeviceCopy<Word> in_reals(noise<Word>(points * rows, seed + 2));
  DeviceCopy<Complex> forward(in.download()), inverse(in.download()), out_bins(in_bins.download());
  DeviceCopy<Word> out_reals(in_reals.download());
  fft.forward(nullptr, forward.get(), rows, forward.get());  // in place
  fft.inverse(nullptr, in.get(), rows, inverse.get());
  fft.forward_real(nullptr, in_reals.get(), rows, out_bins.get());
  fft.inverse_real(nullptr, in_bins.get(), rows, out_reals.get());
  return {forward.download(), inverse.download(), out_bins.download(), out_reals.download()};
}

TEST_F(FftCuda, GivesTheBytesOfTheCpu) {
  for (std::size_t points = 16; points <= 16384; points *= 2)
    for (const std::size_t rows : {std::size_t{1}, std::size_t{5}, 1 + 300000 / points}) {
      EXPECT_TRUE(same_bytes(on_device<float>(points, rows, points),
                             transformed<float>(points, rows, points, cpu_backend(0))))
          << points << " floats, rows: " << rows;
      EXPECT_TRUE(same_bytes(on_device<double>(points, rows, points),
                             transformed<double>(points, rows, points, cpu_backend(0))))
          << points << " doubles, rows: " << rows;
    }
}

/// Each begins while the one before ends, and must not read what that one has not written.
TEST_F(FftCuda, AChainInAGraphGivesTheBytesOfTheCpu) {
  constexpr int length = 20;
  for (const std::size_t points : {std::size_t{256}, std::size_t{1024}, std::size_t{8192}})
    for (const std::size_t rows : {std::size_t{1}, std::size_t{1500}}) {
      std::vector<std::complex<float>> expected = complex_noise<float>(points * rows, 9);
      const DeviceCopy<std::complex<float>> data(expected);
      CudaFft<float> fft(points);
      cudaStream_t stream = nullptr;
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t replay = nullptr;
      cuda::check(cudaStreamCreate(&stream), "stream");
      cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
      for (int i = 0; i < length; ++i) {
        fft.forward(stream, data.get(), rows, data.get());
        fft.inverse(stream, data.get(), rows, data.get());
      }
      cuda::check(cudaStreamEndCapture(stream, &graph), "capture");
      cuda::check(cudaGraphInstantiateWithFlags(&replay, graph, 0), "graph");
      cuda::check(cudaGraphLaunch(replay, stream), "graph");
      cuda::check(cudaStreamSynchronize(stream), "graph");
      const Fft<float> cpu(points);
      for (int i = 0; i < length; ++i) {
        cpu.forward(expected.data(), rows, cpu_backend(0), expected.data());
        cpu.inverse(expected.data(), rows, cpu_backend(0), expected.data());
      }
      EXPECT_TRUE(same_bytes(data.download(), expected)) << points << ", rows: " << rows;
      cudaGraphExecDestroy(replay);
      cudaGraphDestroy(graph);
      cudaStreamDestroy(stream);
    }
}

}  // namespace
}  // namespace datum
