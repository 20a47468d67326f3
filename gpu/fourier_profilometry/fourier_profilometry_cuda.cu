#include <stdexcept>

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/fourier_profilometry/fourier_device.cuh"
#include "gpu/fourier_profilometry/fourier_plan.h"
#include "gpu/fourier_profilometry/fourier_profilometry_cuda.h"

namespace datum {

namespace fourier {
namespace {

constexpr std::chrono::milliseconds timeout{2000};

template <class Sh, class Sample, int least_blocks>
__global__ void __launch_bounds__(Sh::threads, least_blocks) pairs(const __grid_constant__ Query q) {
  extern __shared__ __align__(16) unsigned char memory[];
  PairOfRows<Sh>::template demodulate<Sample>(q, memory);
}

template <unsigned points, int each, int least_blocks, class Sample>
void launch_shape(CudaStream stream, const Query& q) {
  using Sh = fft::Shape<Words, points, each, 1>;
  const auto kernel = pairs<Sh, Sample, least_blocks>;
  // The window lies within half the spectrum.
  static_assert(PairOfRows<Sh>::shared_bytes(Sh::plan.radix[0] / 2 + 1) <= cuda::orin_shared_bytes);
  const unsigned shared = PairOfRows<Sh>::shared_bytes(q.blocks);
  if (shared > 48 * 1024)
    cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory of Fourier profilometry");
  kernel<<<(q.height + 1) / 2, Sh::threads, shared, stream>>>(q);
  cuda::check(cudaGetLastError(), "launch of Fourier profilometry");
}

template <class Sample>
void launch_points(CudaStream stream, std::size_t points, const Query& q) {
  switch (points) {
    case 256:
      return launch_shape<256, 16, 8, Sample>(stream, q);
    case 512:
      return launch_shape<512, 8, 8, Sample>(stream, q);
    case 1024:
      return launch_shape<1024, 16, 8, Sample>(stream, q);
    case 2048:
      return launch_shape<2048, 16, 8, Sample>(stream, q);
    case 4096:
      return launch_shape<4096, 16, 4, Sample>(stream, q);
    default:
      return launch_shape<8192, 32, 2, Sample>(stream, q);
  }
}

}  // namespace
}  // namespace fourier

using namespace fourier;

struct CudaFourierProfilometry::State {
  State(std::uint32_t width, const FourierSettings& settings) : plan(plan_of(width, settings)) {
    cuda::to_device(root, plan.transform.root, "roots of unity");
    cuda::to_device(first_root, plan.first_root, "roots of unity");
    cuda::to_device(gain, plan.gain, "window of the fringes");
    cuda::to_device(bridge, plan.bridge, "end of a row");
  }

  Plan plan;
  cuda::Buffer<fft::Root<float>> root, first_root;
  cuda::Buffer<float> gain, bridge;
  // of demodulate()
  cuda::Buffer<std::uint8_t> samples;
  cuda::Buffer<FourierClass> classes;
  cuda::Buffer<float> phase_rad, modulation;
};

CudaFourierProfilometry::CudaFourierProfilometry(std::uint32_t width, const FourierSettings& settings)
    : state_(new State(width, settings)) {}
CudaFourierProfilometry::~CudaFourierProfilometry() = default;

void CudaFourierProfilometry::launch(CudaStream stream, const FourierImage& image, const FourierMaps& maps) {
  const State& s = *state_;
  check_call(s.plan, image, maps);
  if (image.height == 0) return;
  const Query q{image.samples,       maps,          image.width,        image.height,
                s.plan.block,        s.plan.blocks, s.plan.reach_px,    s.plan.settings.camera_maximum,
                s.plan.least_square, s.root.get(),  s.first_root.get(), s.gain.get(),
                s.bridge.get()};
  if (image.type == SampleType::u8) {
    launch_points<std::uint8_t>(stream, s.plan.transform.points, q);
  } else {
    launch_points<std::uint16_t>(stream, s.plan.transform.points, q);
  }
}

void CudaFourierProfilometry::demodulate(CudaStream stream, const FourierImage& image,
                                         const FourierMaps& maps) {
  State& s = *state_;
  check_call(s.plan, image, maps);
  const std::size_t count = static_cast<std::size_t>(image.width) * image.height;
  if (count == 0) return;
  const std::size_t bytes = count * (image.type == SampleType::u8 ? 1 : 2);
  s.samples.reserve(bytes);
  s.classes.reserve(count);
  s.phase_rad.reserve(count);
  if (maps.modulation) s.modulation.reserve(count);
  cuda::check(cudaMemcpyAsync(s.samples.get(), image.samples, bytes, cudaMemcpyHostToDevice, stream),
              "image of fringes");
  launch(stream, {s.samples.get(), image.type, image.width, image.height},
         {s.classes.get(), s.phase_rad.get(), maps.modulation ? s.modulation.get() : nullptr});
  cuda::wait(stream, timeout, "Fourier profilometry");
  cuda::check(cudaMemcpy(maps.classes, s.classes.get(), count, cudaMemcpyDeviceToHost), "classes of fringes");
  cuda::check(cudaMemcpy(maps.phase_rad, s.phase_rad.get(), count * sizeof(float), cudaMemcpyDeviceToHost),
              "phases");
  if (maps.modulation)
    cuda::check(
        cudaMemcpy(maps.modulation, s.modulation.get(), count * sizeof(float), cudaMemcpyDeviceToHost),
        "modulation");
}

}  // namespace datum
