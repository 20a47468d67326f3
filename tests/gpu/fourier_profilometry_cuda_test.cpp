// Single-shot phases on a CUDA device give the CPU's bytes.
#include "gpu/fourier_profilometry/fourier_profilometry_cuda.h"

#include <gtest/gtest.h>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/fourier_scenes.h"

namespace datum {
namespace {

using namespace testing;

class FourierProfilometryCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

template <class Sample>
void compare(const FringeScene& scene, double grey) {
  std::vector<Sample> image = fringes<Sample>(scene, scene.width, grey);
  const auto maximum = static_cast<Sample>(255 * grey);
  for (std::size_t i = 0; i < image.size(); i += 7919) image[i] = maximum;
  const FourierSettings settings = fourier_settings(scene.period_px, static_cast<float>(maximum));
  FourierResult r(image.size());
  CudaFourierProfilometry(scene.width, settings).demodulate(nullptr, image_of(image, scene.width), r.maps());
  EXPECT_TRUE(r == demodulated(image, scene.width, settings, cpu_backend(0))) << scene.width;
}

TEST_F(FourierProfilometryCuda, GivesTheBytesOfTheCpu) {
  for (const std::uint32_t width :
       {200u, 256u, 300u, 512u, 1000u, 1024u, 2000u, 2048u, 3900u, 4096u, 5000u, 8192u}) {
    FringeScene scene;
    scene.width = width;
    scene.height = 37;
    scene.noise = 3;
    compare<std::uint8_t>(scene, 1);
    scene.period_px = 5.1;  // a window of many blocks
    compare<std::uint16_t>(scene, 256);
  }
}

}  // namespace
}  // namespace datum
