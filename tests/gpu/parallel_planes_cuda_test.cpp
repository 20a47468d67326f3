// The CUDA parallel planes give the CPU's bytes.
#include "gpu/parallel_planes/parallel_planes_cuda.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/parallel_planes_scenes.h"

namespace datum {
namespace {

using namespace testing;

class ParallelPlanesCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

StackResult on_device(CudaParallelPlanes& fitter, const Stack& stack,
                      const ParallelPlanesSettings& settings) {
  StackResult r(stack);
  const auto samples = stack.samples();
  fitter.prepare(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(), settings, false);
  fitter.upload(nullptr);
  for (int i = 0; i < 3; ++i) fitter.launch(nullptr);  // each leaves the sums clean for the next
  fitter.fetch(nullptr, r.shared.data(), r.planes.data());
  return r;
}

TEST_F(ParallelPlanesCuda, GivesTheBytesOfTheCpu) {
  CudaParallelPlanes fitter;
  for (std::uint64_t seed = 20; seed < 40; ++seed) {
    const Stack stack = ragged_stack(seed);
    ParallelPlanesSettings settings = stack_settings();
    settings.meaning = static_cast<WeightMeaning>(seed % 3);
    EXPECT_EQ(on_device(fitter, stack, settings).bytes(), fit(stack, settings, cpu_backend(0)).bytes())
        << seed;
  }
}

TEST_F(ParallelPlanesCuda, SaysTheSameOfWhatIsNoPlane) {
  CudaParallelPlanes fitter;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int fault = 0; fault < 7; ++fault) {
    std::mt19937_64 random(50 + static_cast<unsigned>(fault));
    Stack stack;
    add_set(stack, {3000, 20000}, Shape{}, random, true);
    add_set(stack, {2000}, Shape{}, random, true);
    WeightedPoint& p = stack.points[1][19999];
    if (fault == 0) p.x = nan;
    if (fault == 1) p.w = -1;
    if (fault == 2) p.w = nan;
    if (fault == 3) p.z = 99;
    if (fault == 4) stack.points[1].clear();
    for (auto& plane : stack.points)
      for (auto& q : plane) {
        if (fault == 5) q.y = 0;
        if (fault == 6) q.w = 0;
      }
    EXPECT_EQ(on_device(fitter, stack, stack_settings()).bytes(),
              fit(stack, stack_settings(), cpu_backend(0)).bytes())
        << fault;
  }
}

TEST_F(ParallelPlanesCuda, FindsTheExtremesOfTheCpu) {
  CudaParallelPlanes fitter;
  const Stack stack = ragged_stack(60);
  const StackResult r = on_device(fitter, stack, stack_settings());
  std::vector<PlaneExtremes> found(stack.points.size());
  fitter.extremes(nullptr, found.data());
  const auto samples = stack.samples();
  for (std::size_t set = 0; set < stack.sets.size(); ++set)
    for (std::uint32_t k = 0; k < stack.sets[set].planes; ++k) {
      const std::size_t i = stack.sets[set].first + k;
      const PlaneExtremes expected = extremes(samples[i], r.shared[set], r.planes[i], cpu_backend(0));
      EXPECT_EQ(std::memcmp(&found[i], &expected, sizeof expected), 0) << i;
    }
}

TEST_F(ParallelPlanesCuda, RefusesWhatTheCpuRefuses) {
  CudaParallelPlanes fitter;
  const Stack stack = ragged_stack(61);
  const auto samples = stack.samples();
  ParallelPlanesSettings settings = stack_settings();
  settings.half_range = -1;
  EXPECT_THROW(
      fitter.prepare(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(), settings, false),
      std::invalid_argument);
}

}  // namespace
}  // namespace datum
