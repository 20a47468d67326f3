// Correlations of boards and single images of fringes by the GPU's own process, beside this host's CPU: the exchange between both
// processes included.
//
//   bench_services     README.md
#include <chrono>
#include <cstdio>
#include <limits>

#include "daemon/gpu_worker/failover_services.h"
#include "tests/gpu/correlation_scenes.h"
#include "tests/gpu/fourier_scenes.h"

namespace {

using namespace datum;

/// Least of some calls, ms; the first one warms up.
template <class Work>
double least_ms(const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 8; ++i) {
    const auto from = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - from;
    if (i > 0) least = std::min(least, took.count());
  }
  return least;
}

void correlations(const std::shared_ptr<GpuServices>& gpu, const Backend& cpu) {
  std::printf("correlation with a reference, ms      each anew   CPU    GPU\n");
  FailoverCorrelator there(gpu, cpu, CorrelationCrossover{0});
  CpuCorrelator here(cpu);
  for (const std::uint32_t side : {64, 128, 256, 512, 1024, 2048}) {
    const auto reference = testing::parts(side, side, 0, 0, 1), image = testing::parts(side, side, 3, 2, 1);
    CorrelationSettings settings;
    settings.most_shift_px = 8;
    const CorrelationImages images{reference.data(), image.data(), side, side};
    const double anew =
        least_ms([&] { PhaseCorrelation(reference.data(), side, side, settings).find(image.data(), cpu); });
    const double on_cpu = least_ms([&] { here.find(images, settings); });
    const double on_gpu = least_ms([&] { there.find(images, settings); });
    std::printf("%5u x %-5u %33.2f %8.2f %6.2f   %s\n", side, side, anew, on_cpu, on_gpu,
                there.describe().c_str());
  }
}

void single_shots(const std::shared_ptr<GpuServices>& gpu, const Backend& cpu) {
  std::printf("\nphases of a single image, 8 bits, ms              CPU    GPU\n");
  FailoverDemodulator there(gpu, cpu);
  CpuFringeDemodulator here(cpu);
  for (const std::uint32_t width : {1280, 2048, 4096}) {
    testing::FringeScene scene;
    scene.width = width;
    scene.height = width * 3 / 4;
    const auto samples = testing::fringes<std::uint8_t>(scene, 1);
    FourierSettings settings;
    settings.period_px = 12.3f;
    settings.camera_maximum = 255;
    const FourierProfilometry profilometry(width, settings);
    testing::FourierResult result(samples.size());
    const auto demodulate = [&](FringeDemodulator& by) {
      return least_ms([&] { by.demodulate(profilometry, testing::image_of(samples, width), result.maps()); });
    };
    const double on_cpu = demodulate(here), on_gpu = demodulate(there);
    std::printf("%5u x %-5u %42.2f %6.2f   %s\n", width, scene.height, on_cpu, on_gpu,
                there.describe().c_str());
  }
}

}  // namespace

int main() {
  const Backend cpu = cpu_backend();
  const auto gpu = std::make_shared<GpuServices>(
      std::make_unique<ServiceClient>(ServiceClientSettings{}), std::chrono::seconds(60),
      [] { return std::chrono::steady_clock::now().time_since_epoch(); },
      [](bool, const std::string& text) { std::printf("%s\n", text.c_str()); });
  std::printf("CPU: %s\n", datum::describe(cpu).c_str());
  correlations(gpu, cpu);
  single_shots(gpu, cpu);
}
