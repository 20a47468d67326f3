// The CUDA fringes give the CPU's bytes.
#include "gpu/fringe_phase/fringe_phase_cuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/fringe_scenes.h"
#include "tests/gpu/quotient_device.h"

namespace datum {
namespace {

using namespace testing;

class FringePhaseCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

/// `extras`: every map there is; else classes, columns and heights.
template <class T>
FringeResult on_device(CudaFringePhase& fringes, RawFringes<T>& raw, const FringePattern& pattern,
                       const FringeLimits& limits, const HeightModel* model, bool extras) {
  FringeResult r(std::size_t{raw.width} * raw.height, pattern.steps > 3, model != nullptr);
  if (!extras)
    r.maps.sigma_px = r.maps.modulation = r.maps.mean = r.maps.residual = r.maps.height_sigma_um = nullptr;
  fringes.prepare(raw.images(), pattern, limits, model, r.maps);
  fringes.upload(nullptr, raw.images());
  fringes.launch(nullptr);
  fringes.fetch(nullptr, r.maps);
  return r;
}

bool equal(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

template <class T>
void expect_bytes_of_the_cpu(CudaFringePhase& fringes, const FringePattern& p, const FringeLimits& limits,
                             std::uint32_t width, std::uint32_t cell_px) {
  RawFringes<T> raw = ragged_images<T>(p, width, 21, width + p.steps);
  const ModelScene scene(width, 21, cell_px);
  for (const HeightModel* model : {static_cast<const HeightModel*>(nullptr), &scene.model}) {
    const FringeResult expected = demodulated(raw, p, limits, model, cpu_backend(0));
    EXPECT_EQ(on_device(fringes, raw, p, limits, model, true).bytes(), expected.bytes())
        << p.steps << " steps, " << p.periods << " periods, width " << width << ", cell " << cell_px;
    const FringeResult few = on_device(fringes, raw, p, limits, model, false);
    EXPECT_TRUE(few.classes == expected.classes && few.height == expected.height &&
                equal(few.column, expected.column))
        << p.steps << " steps, " << p.periods << " periods, width " << width;
    FringeResult noise(expected.classes.size(), false, false);  // all but the residual and heights
    fringes.prepare(raw.images(), p, limits, model, noise.maps);
    fringes.upload(nullptr, raw.images());
    fringes.launch(nullptr);
    fringes.fetch(nullptr, noise.maps);
    EXPECT_TRUE(noise.classes == expected.classes && equal(noise.column, expected.column) &&
                equal(noise.sigma, expected.sigma) && equal(noise.modulation, expected.modulation) &&
                equal(noise.mean, expected.mean))
        << p.steps << " steps, " << p.periods << " periods, width " << width;
  }
}

FringePattern pattern_of(std::uint32_t steps, std::uint32_t periods) {
  FringePattern p = three_periods(steps);
  p.periods = periods;
  if (periods == 1) p.period_px[0] = 1280;
  if (periods == 2) p.width_px = 200;
  return p;
}

TEST_F(FringePhaseCuda, GivesTheBytesOfTheCpu) {
  CudaFringePhase fringes;
  for (std::uint32_t steps = fewest_steps; steps <= 16; ++steps)
    for (std::uint32_t periods = 1; periods <= most_periods; ++periods)
      for (const std::uint32_t width : {1u, 7u, 97u, 640u}) {
        const FringePattern p = pattern_of(steps, periods);
        expect_bytes_of_the_cpu<std::uint8_t>(fringes, p, limits_of_bytes(), width, steps % 2 ? 16 : 1);
        expect_bytes_of_the_cpu<std::uint16_t>(fringes, p, limits_of_bytes(), width, steps % 2 ? 2 : 64);
      }
}

TEST_F(FringePhaseCuda, SeesEveryMaximumDirectionAndZero) {
  CudaFringePhase fringes;
  for (const float maximum : {9.f, 100.f, 127.5f, 128.f, 129.f, 254.f, 255.f})
    for (const float direction : {1.f, -1.f}) {
      FringePattern p = pattern_of(4, 3);
      p.direction = direction;
      p.zero_turns = -0.25f;
      std::swap(p.period_px[0], p.period_px[1]);
      FringeLimits limits = limits_of_bytes();
      limits.camera_maximum = maximum;
      limits.noise_per_grey = 0.25f;
      expect_bytes_of_the_cpu<std::uint8_t>(fringes, p, limits, 333, 8);
    }
}

TEST_F(FringePhaseCuda, QuotientsAreThoseOfIeeeDivision) {
  EXPECT_EQ(quotients_that_differ(1, std::uint64_t{1} << 32), 0u);
}

TEST_F(FringePhaseCuda, RefusesWhatTheCpuRefuses) {
  CudaFringePhase fringes;
  FringePattern p = pattern_of(4, 2);
  RawFringes<std::uint8_t> raw = ragged_images<std::uint8_t>(p, 16, 16, 1);
  FringeResult r(256, true, false);
  fringes.prepare(raw.images(), p, limits_of_bytes(), nullptr, r.maps);
  FringeImages smaller = raw.images();
  smaller.width = 8;
  EXPECT_THROW(fringes.upload(nullptr, smaller), std::invalid_argument);
  p.width_px = 1280;
  EXPECT_THROW(fringes.prepare(raw.images(), p, limits_of_bytes(), nullptr, r.maps), std::invalid_argument);
}

}  // namespace
}  // namespace datum
