#include "tests/bench/fft_gpu.h"

#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/fft/fft_cuda.h"
#include "gpu/fourier_profilometry/fourier_plan.h"
#include "gpu/fourier_profilometry/fourier_profilometry_cuda.h"
#include "tests/bench/fft_chain.h"
#include "tests/bench/gpu_timing.h"
#include "tests/gpu/fft_scenes.h"
#include "tests/gpu/fourier_scenes.h"

namespace datum::bench {
namespace {

using Complex = std::complex<float>;
using cuda::Buffer;
constexpr int rounds = 31, singles = 50;
constexpr unsigned batch = 4096;

class CufftPlan {
 public:
  CufftPlan(unsigned points, cufftType type, unsigned rows, CudaStream stream) {
    if (cufftPlan1d(&plan_, static_cast<int>(points), type, static_cast<int>(rows)) != CUFFT_SUCCESS ||
        cufftSetStream(plan_, stream) != CUFFT_SUCCESS)
      throw std::runtime_error("cuFFT has no plan");
  }
  ~CufftPlan() { cufftDestroy(plan_); }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;
  void complex_rows(float* data, int direction) const {
    auto* values = reinterpret_cast<cufftComplex*>(data);
    cufftExecC2C(plan_, values, values, direction);
  }
  void real_rows(float* in, float* out) const {
    cufftExecR2C(plan_, in, reinterpret_cast<cufftComplex*>(out));
  }

 private:
  cufftHandle plan_ = 0;
};

double median_us(const Stream& stream, const std::function<void(CudaStream)>& enqueue, int in_graph = 1) {
  const Replay replay(stream, [&](CudaStream s) {
    for (int i = 0; i < in_graph; ++i) enqueue(s);
  });
  std::vector<double> us;
  for (int i = 0; i < rounds; ++i) us.push_back(replay.device_us() / in_graph);
  return spread_of(us).median;
}

bool bytes_equal(CudaFft<float>& fft, const Stream& stream, unsigned points, Complex* data) {
  const auto in = testing::complex_noise<float>(std::size_t{points} * 64, points);
  std::vector<Complex> expected(in.size()), out(in.size());
  Fft<float>(points).forward(in.data(), 64, cpu_backend(0), expected.data());
  cuda::check(cudaMemcpy(data, in.data(), in.size() * sizeof in[0], cudaMemcpyHostToDevice), "rows");
  fft.forward(stream, data, 64, data);
  stream.finish();
  cuda::check(cudaMemcpy(out.data(), data, out.size() * sizeof out[0], cudaMemcpyDeviceToHost), "rows");
  return testing::same_bytes(out, expected);
}

void transforms(const Stream& stream) {
  std::printf(
      "complex rows of float in place, kernels in a captured graph, us: %u rows; one row, %d of them in a "
      "graph\n",
      batch, singles);
  std::printf(
      "  points  datumd   cuFFT   ratio     one row  cuFFT   ratio   paper: %u rows   one row   bytes\n",
      batch);
  Buffer<float> data, out, other;
  const std::size_t most = std::size_t{16384} * batch * 2;
  for (Buffer<float>* b : {&data, &out, &other}) cuda::zeroed(*b, most, "rows");
  for (unsigned points = 256; points <= 16384; points *= 2) {
    CudaFft<float> fft(points);
    auto* rows = reinterpret_cast<Complex*>(data.get());
    const bool equal = bytes_equal(fft, stream, points, rows);
    cuda::zeroed(data, most, "rows");
    const CufftPlan many(points, CUFFT_C2C, batch, stream), one(points, CUFFT_C2C, 1, stream);
    const double own = median_us(stream, [&](CudaStream s) { fft.forward(s, rows, batch, rows); });
    const double peer = median_us(stream, [&](CudaStream) { many.complex_rows(data.get(), CUFFT_FORWARD); });
    const double own_one = median_us(
        stream, [&](CudaStream s) { fft.forward(s, rows, 1, rows); }, singles);
    const double peer_one = median_us(
        stream, [&](CudaStream) { one.complex_rows(data.get(), CUFFT_FORWARD); }, singles);
    const double paper = median_us(
        stream, [&](CudaStream s) { pease_rows(s, data.get(), out.get(), other.get(), points, batch); });
    const double paper_one = median_us(
        stream, [&](CudaStream s) { pease_rows(s, data.get(), out.get(), other.get(), points, 1); }, singles);
    std::printf("  %6u %7.1f %7.1f   %5.2f     %7.2f %6.2f   %5.2f   %15.1f   %7.2f   %s\n", points, own,
                peer, own / peer, own_one, peer_one, own_one / peer_one, paper, paper_one,
                equal ? "equal" : "DIFFERENT");
  }
}

/// Of the middle of the rows, in rad, and where classes or phases of the device are not the CPU's.
void compare(const std::vector<std::uint8_t>& image, const testing::FringeScene& scene,
             const std::vector<float>& own, const std::vector<float>& chain) {
  const testing::FourierResult cpu =
      testing::demodulated(image, scene.width, testing::fourier_settings(scene.period_px), cpu_backend(0));
  double largest = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (cpu.classes[i] == FourierClass::ok)
      largest = std::max(largest,
                         std::fabs(std::remainder(static_cast<double>(own[i]) - static_cast<double>(chain[i]),
                                                  2 * testing::pi)));
    different += std::memcmp(&own[i], &cpu.phase_rad[i], sizeof(float)) != 0;
  }
  std::printf("  phases %s the CPU's; off the chain's by %.1e rad at most\n",
              different == 0 ? "equal" : "DIFFERENT from", largest);
}

void fringes(const Stream& stream) {
  testing::FringeScene scene;
  scene.width = scene.height = 4096;
  scene.period_px = 16;
  const unsigned n = scene.width;
  const std::size_t count = std::size_t{n} * n;
  const std::vector<std::uint8_t> image = testing::fringes<std::uint8_t>(scene, 1);
  const FourierSettings settings = testing::fourier_settings(16);
  const fourier::Plan plan = fourier::plan_of(n, settings);
  std::vector<float> gain(n / 2 + 1);
  const std::size_t begin = plan.block * (n / static_cast<unsigned>(plan.transform.radix[0]));
  for (std::size_t i = 0; i < plan.gain.size(); ++i) gain[begin + i] = 2 * plan.gain[i];
  Buffer<std::uint8_t> samples;
  Buffer<FourierClass> classes;
  Buffer<float> phase, modulation, reals, bins, spectrum, gains, chain_phase;
  cuda::to_device(samples, image, "fringes");
  cuda::to_device(gains, gain, "window");
  classes.reserve(count);
  for (Buffer<float>* b : {&phase, &modulation, &reals, &chain_phase}) b->reserve(count);
  bins.reserve((n + 2) * std::size_t{n});
  spectrum.reserve(2 * count);
  CudaFourierProfilometry fused(n, settings);
  const FourierImage on_device{samples.get(), SampleType::u8, n, n};
  const double own = median_us(stream, [&](CudaStream s) {
    fused.launch(s, on_device, {classes.get(), phase.get(), nullptr});
  });
  const double with = median_us(stream, [&](CudaStream s) {
    fused.launch(s, on_device, {classes.get(), phase.get(), modulation.get()});
  });
  const CufftPlan forward(n, CUFFT_R2C, n, stream), inverse(n, CUFFT_C2C, n, stream);
  const double chain = median_us(stream, [&](CudaStream s) {
    to_float(s, samples.get(), reals.get(), count);
    forward.real_rows(reals.get(), bins.get());
    window_rows(s, bins.get(), gains.get(), spectrum.get(), n, n);
    inverse.complex_rows(spectrum.get(), CUFFT_INVERSE);
    angles(s, spectrum.get(), chain_phase.get(), count);
  });
  std::printf("phase of single-shot fringes, %u x %u px of 8 bits, kernels in a captured graph, us\n", n, n);
  std::printf(
      "  fused, phases and classes %.1f; modulation too %.1f; cuFFT and three kernels, phases only %.1f: "
      "%.2f times\n",
      own, with, chain, chain / own);
  std::vector<float> a(count), b(count);
  cuda::check(cudaMemcpy(a.data(), phase.get(), count * sizeof(float), cudaMemcpyDeviceToHost), "phases");
  cuda::check(cudaMemcpy(b.data(), chain_phase.get(), count * sizeof(float), cudaMemcpyDeviceToHost),
              "phases");
  compare(image, scene, a, b);
}

}  // namespace

void fft_gpu_rows() {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) {
    std::printf("no GPU rows: %s\n", device.why.c_str());
    return;
  }
  std::printf("%s\n", device.why.c_str());
  const Stream stream;
  transforms(stream);
  fringes(stream);
}

}  // namespace datum::bench
