// datumd-gpu: the process in which datumd uses the GPU. A device fault ends this process, not the daemon.
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "daemon/gpu_worker/gpu_state.h"
#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/gpu_worker.h"
#include "gpu/area_share/area_share_cuda.h"
#include "gpu/core/cuda_page_lock.h"
#include "gpu/diffusion/diffusion_cuda.h"
#include "gpu/fourier_profilometry/fourier_profilometry_cuda.h"
#include "gpu/fringe_phase/fringe_phase_cuda.h"
#include "gpu/lu/system_inverter_cuda.h"
#include "gpu/model_distance/model_distance_cuda.h"
#include "gpu/phase_correlation/phase_correlation_cuda.h"
#include "gpu/surface_compare/surface_compare_cuda.h"
#include "gpu/surface_match/facet_matcher_cuda.h"

namespace {

using namespace datum;

/// One made ready for the last sensor: image after image is its.
class LastProfilometry {
 public:
  CudaFourierProfilometry& get(std::uint32_t width, const FourierSettings& s) {
    const std::array<float, 4> wanted{s.period_px, s.width, s.camera_maximum, s.min_modulation};
    if (!made_ || width != width_ || wanted != settings_) {
      made_.reset();
      made_ = std::make_unique<CudaFourierProfilometry>(width, s);
      width_ = width;
      settings_ = wanted;
    }
    return *made_;
  }

 private:
  std::unique_ptr<CudaFourierProfilometry> made_;
  std::uint32_t width_ = 0;
  std::array<float, 4> settings_{};
};

/// Runs on the stream of the single worker thread; no other device work is in flight (SlotMeasurer::settle).
constexpr CudaStream stream = nullptr;

DiffusionRecord diffuse_on_device(std::int32_t* counts, const DiffusionGrid& grid,
                                  const DiffusionSettings& settings) {
  static CudaDiffusion diffusion;
  diffusion.prepare(counts, grid, settings, cpu_backend());
  diffusion.upload(stream);
  diffusion.launch(stream);
  return diffusion.fetch(stream, counts);
}

void demodulate_on_device(const FringeImages& images, const FringePattern& pattern,
                          const FringeLimits& limits, const HeightModel* model, const FringeMaps& maps) {
  static CudaFringePhase fringes;
  fringes.prepare(images, pattern, limits, model, maps);
  fringes.upload(stream, images);
  fringes.launch(stream);
  fringes.fetch(stream, maps);
}

void single_shot_on_device(const FourierSettings& settings, const FourierImage& image,
                           const FourierMaps& maps) {
  static LastProfilometry last;
  last.get(image.width, settings).demodulate(stream, image, maps);
}

CorrelationShift correlate_on_device(const CorrelationImages& images, const CorrelationSettings& settings) {
  static LastReference<CudaPhaseCorrelation> last;
  return last.get(images, settings)->find(stream, images.image);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::printf("%s\n%s\n", wire_identity().code, cuda_build().c_str());
    return 0;
  }
  const bool state = argc == 2 && std::strcmp(argv[1], "--state") == 0;
  int type = 0;
  socklen_t size = sizeof type;
  if ((argc != 1 && !state) || ::getsockopt(gpu_worker_fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      type != SOCK_SEQPACKET) {
    std::fprintf(stderr, "datumd-gpu: datumd starts this program; by hand only: datumd-gpu --version\n");
    return 64;  // EX_USAGE
  }
  if (state) return run_gpu_state(gpu_worker_fd);
  return run_gpu_worker(gpu_worker_fd,
                        {probe_cuda_device,
                         cuda_slot_measurer,
                         {cuda_device_search, diffuse_on_device, demodulate_on_device, cuda_device_match,
                          cuda_page_lock, invert_on_device, cuda_device_areas, cuda_device_compare,
                          single_shot_on_device, correlate_on_device}});
}
