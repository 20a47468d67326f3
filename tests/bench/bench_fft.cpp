// datum bench fft: Fourier transforms of rows beside FFTW's and the paper's, in one run; --gpu: on the device beside
// cuFFT's, and the fused phase of fringes beside the same made of cuFFT calls.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gpu/fft/fft.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"
#include "tests/bench/fft_gpu.h"
#include "tests/bench/fft_peers.h"
#include "tests/gpu/fft_scenes.h"
#include "tests/gpu/fourier_scenes.h"

namespace datum::bench {
namespace {

constexpr int rounds = 15;

double us(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

struct Times {
  double median = 0, least = 0;
};
Times times_of(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  return {sample[sample.size() / 2], sample.front()};
}

/// Both by turns, so that what else the machine does falls on both.
void row(std::size_t points, std::size_t count, unsigned threads) {
  const auto input = testing::complex_noise<float>(points * count, points);
  std::vector<Complex> ours(input), theirs(input.size());
  const Fft<float> fft(points);
  const Backend backend = cpu_backend(threads);
  const std::function<void()> peer = fftw_rows(theirs.data(), points, count, threads);
  std::vector<double> own_us, peer_us;
  for (int i = 0; i < rounds; ++i) {
    std::copy(input.begin(), input.end(), ours.begin());
    own_us.push_back(us([&] { fft.forward(ours.data(), count, backend, ours.data()); }));
    if (!peer) continue;
    std::copy(input.begin(), input.end(), theirs.begin());
    peer_us.push_back(us(peer));
  }
  const double rows = static_cast<double>(count);
  const Times own = times_of(own_us);
  std::printf("  %6zu x %-6zu %7u   %8.3f (%.3f)", points, count, threads, own.median / rows,
              own.least / rows);
  if (peer) {
    const Times other = times_of(peer_us);
    std::printf("   %8.3f (%.3f)   %.2f", other.median / rows, other.least / rows, own.median / other.median);
  }
  std::printf("\n");
}

void paper_row(std::size_t points) {
  const auto in = testing::complex_noise<float>(points, 1);
  std::vector<Complex> out(points), other(points), ours(points);
  std::vector<double> sample;
  for (int i = 0; i < rounds; ++i)
    sample.push_back(us([&] { pease_transform(in.data(), points, out.data(), other.data()); }));
  Fft<float>(points).forward(in.data(), 1, cpu_backend(1), ours.data());
  double off = 0, all = 0;
  for (std::size_t i = 0; i < points; ++i) {
    off += static_cast<double>(std::norm(out[i] - ours[i]));
    all += static_cast<double>(std::norm(ours[i]));
  }
  std::printf("  %6zu            1   %8.3f, off by %.1e\n", points, times_of(sample).median,
              std::sqrt(off / all));
}

void fringe_row(unsigned threads) {
  testing::FringeScene scene;
  scene.width = scene.height = 4096;
  scene.period_px = 16;
  const auto image = testing::fringes<std::uint8_t>(scene, 1);
  const FourierProfilometry made(scene.width, testing::fourier_settings(16));
  testing::FourierResult result(image.size());
  FourierMaps maps = result.maps();
  maps.modulation = nullptr;
  std::vector<double> sample;
  for (int i = 0; i < 3; ++i)
    sample.push_back(
        us([&] { made.demodulate(testing::image_of(image, scene.width), cpu_backend(threads), maps); }));
  std::printf("  %7u   %8.1f ms\n", threads, times_of(sample).median / 1e3);
}

void cpu_rows() {
  const Backend all = cpu_backend(0);
  std::printf("complex rows in place, %s, FFTW %s; us a transform: median (least) of %d, by turns\n",
              describe(all).c_str(), fftw_version().c_str(), rounds);
  std::printf("  points x rows   threads   datumd              FFTW               ratio\n");
  for (const unsigned threads : {1u, std::min(all.threads, 2u), all.threads}) {
    for (const std::size_t points : {256u, 1024u, 4096u, 16384u}) row(points, 4096 * 1024 / points, threads);
    if (threads == all.threads) break;
  }
  std::printf("the paper's form in plain C++, one transform\n");
  for (const std::size_t points : {256u, 1024u, 8192u}) paper_row(points);
  std::printf("phase of single-shot fringes, 4096 x 4096 px of 8 bits\n  threads\n");
  fringe_row(1);
  fringe_row(all.threads);
}

}  // namespace
}  // namespace datum::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--gpu") == 0) {
    datum::bench::fft_gpu_rows();
  } else {
    datum::bench::cpu_rows();
  }
}
