// The CUDA diffusion gives the CPU's bytes.
#include "gpu/diffusion/diffusion_cuda.h"

#include <gtest/gtest.h>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/diffusion_scenes.h"

namespace datum {
namespace {

using namespace testing;

class DiffusionCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
  /// Twice, as the second leans on what the first left.
  void expect_equal(const Field& f, const DiffusionGrid& g, const DiffusionSettings& s) {
    Field expected = f, found(f.size());
    const DiffusionRecord on_cpu = diffuse(expected.data(), g, s, cpu_backend(0));
    diffuser.prepare(f.data(), g, s, cpu_backend(0));
    for (int i = 0; i < 2; ++i) {
      diffuser.upload(nullptr);
      diffuser.launch(nullptr);
      const DiffusionRecord r = diffuser.fetch(nullptr, found.data());
      EXPECT_EQ(found, expected) << g.nx << " x " << g.ny << " x " << g.nz;
      EXPECT_EQ(r.first_kappa, on_cpu.first_kappa);
      EXPECT_EQ(r.last_kappa, on_cpu.last_kappa) << g.nx << " x " << g.ny << " x " << g.nz;
      EXPECT_EQ(r.faces, on_cpu.faces);
    }
  }
  CudaDiffusion diffuser;
};

TEST_F(DiffusionCuda, GivesTheBytesOfTheCpu) {
  // Around the sizes of a lane, a warp, a block's rows and planes.
  const DiffusionGrid grids[] = {{1, 1, 1},   {4, 4, 1},     {130, 67, 1},   {512, 300, 1}, {3, 1, 70},
                                 {4, 2, 2},   {128, 16, 62}, {132, 17, 63},  {129, 33, 5},  {256, 32, 125},
                                 {7, 91, 64}, {512, 15, 3},  {640, 161, 20}, {4, 50, 30},   {100, 1, 1}};
  std::uint64_t seed = 0;
  for (const DiffusionGrid& g : grids)
    for (const Conduction conduction : {Conduction::exponential, Conduction::rational})
      for (const KappaRule rule : {KappaRule::fixed, KappaRule::mean_gradient, KappaRule::robust})
        for (const unsigned holes : {0u, 60u})
          expect_equal(random_field(g, ++seed, 1 << 29, holes), g,
                       {conduction, rule, rule == KappaRule::fixed ? 2e8 : 0, 1.0 / 6,
                        3 + static_cast<std::uint32_t>(seed % 2)});
}

TEST_F(DiffusionCuda, SmoothsAStepToTheBytesOfTheCpu) {
  const DiffusionGrid g{500, 400, 1};
  Field f = random_field(g, 1, 5000);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] += i % 500 < 250 ? 0 : 256000;
  expect_equal(f, g, {Conduction::rational, KappaRule::robust, 0, 0.2, 10});
}

TEST_F(DiffusionCuda, RefusesWhatTheCpuRefuses) {
  const Field f(27);
  EXPECT_THROW(diffuser.prepare(f.data(), {3, 3, 3}, {Conduction::rational, KappaRule::robust, 0, 0.2, 1},
                                cpu_backend(1)),
               std::invalid_argument);
}

}  // namespace
}  // namespace datum
