// What a pixel must keep to, what its health says, heights of a model, plans and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <stdexcept>

#include "gpu/core/height_map.h"
#include "gpu/fringe_phase/unwrap_plan.h"
#include "tests/gpu/fringe_scenes.h"

namespace datum {
namespace {

using namespace testing;

FringeLimits limits_of_words() {
  FringeLimits l = limits_of_bytes();
  l.camera_maximum = 65535;
  return l;
}

FringeResult flat_at(const FringePattern& p, double u, double mean, double modulation) {
  RawFringes<std::uint16_t> raw = render<std::uint16_t>(
      p, 17, 1, [&](double, double) { return u; }, mean, modulation);
  return demodulated(raw, p, limits_of_words(), nullptr, cpu_backend(1));
}

TEST(FringeRules, OneSampleAtTheMaximumSaturatesAPixel) {
  const FringePattern p = three_periods(4);
  RawFringes<std::uint8_t> raw = render<std::uint8_t>(
      p, 40, 1, [](double x, double) { return 300 + x; }, 120, 100);
  raw.samples[7][11] = 254;
  raw.samples[7][12] = 255;
  const FringeResult r = demodulated(raw, p, limits_of_bytes(), nullptr, cpu_backend(1));
  EXPECT_NE(r.classes[11], FringeClass::saturated);
  EXPECT_EQ(r.classes[12], FringeClass::saturated);
  EXPECT_EQ(r.column[12], 0);
  EXPECT_EQ(r.sigma[12], 0);
  EXPECT_EQ(r.count(FringeClass::saturated), 1u);
}

TEST(FringeRules, EveryPeriodNeedsItsModulation) {
  // The samples' rounding moves 0.5 N / (N / 2) = 1 at most.
  const FringePattern p = three_periods(5);
  EXPECT_EQ(flat_at(p, 500, 1000, 7).count(FringeClass::low_modulation), 17u);
  EXPECT_EQ(flat_at(p, 500, 1000, 9).count(FringeClass::low_modulation), 0u);
  RawFringes<std::uint16_t> raw = render<std::uint16_t>(
      p, 17, 1, [](double, double) { return 500.0; }, 1000, 100);
  for (std::uint32_t k = 0; k < p.steps; ++k) raw.samples[p.steps + k][3] = 1000;
  const FringeResult r = demodulated(raw, p, limits_of_words(), nullptr, cpu_backend(1));
  EXPECT_EQ(r.classes[3], FringeClass::low_modulation);
  EXPECT_EQ(r.count(FringeClass::ok), 16u);
}

TEST(FringeRules, PeriodsThatDisagreeAreNotUnwrapped) {
  const FringePattern p = three_periods(4);
  // rounded samples of 10000 grey are off by 1e-4 rad, 3e-4 px
  for (const double apart : {0.27, 0.3, 3.0}) {
    RawFringes<std::uint16_t> raw(1, 1, 12);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const double u = 600 + (i == 2 ? apart : 0);
      FringePattern one = p;
      one.periods = 1;
      one.period_px[0] = p.period_px[i];
      const RawFringes<std::uint16_t> part = render<std::uint16_t>(
          one, 1, 1, [&](double, double) { return u; }, 20000, 10000);
      for (std::uint32_t k = 0; k < 4; ++k) raw.samples[4 * i + k] = part.samples[k];
    }
    const FringeResult r = demodulated(raw, p, limits_of_words(), nullptr, cpu_backend(1));
    // 0.25 px at 14 px allow 16 px 0.286
    EXPECT_EQ(r.classes[0], apart < 0.286 ? FringeClass::ok : FringeClass::unwrap) << apart;
  }
}

TEST(FringeRules, AColumnBesideTheProjectorIsNotUnwrapped) {
  const FringePattern p = three_periods(6);
  EXPECT_EQ(flat_at(p, -0.2, 1000, 500).count(FringeClass::ok), 17u);  // noise at the edge is agreement_px
  EXPECT_EQ(flat_at(p, -1, 1000, 500).count(FringeClass::unwrap), 17u);
  EXPECT_EQ(flat_at(p, 1280.2, 1000, 500).count(FringeClass::ok), 17u);
  EXPECT_EQ(flat_at(p, 1281, 1000, 500).count(FringeClass::unwrap), 17u);
}

TEST(FringeRules, ModulationMeanAndResidualAreThoseOfTheSamples) {
  for (const std::uint32_t steps : {5u, 8u, 16u}) {
    const FringePattern p = three_periods(steps);
    RawFringes<std::uint16_t> raw = render<std::uint16_t>(
        p, 33, 1, [](double x, double) { return 300 + x; }, 20000, 10000);
    const double harmonic = 500;  // the second, in the longest period alone
    for (std::uint32_t k = 0; k < steps; ++k)
      for (std::uint32_t x = 0; x < 33; ++x) {
        const double turns = (300 + x) / 16.0 + static_cast<double>(k) / steps;
        auto& sample = raw.samples[2 * steps + k][x];
        sample = static_cast<std::uint16_t>(sample + std::lround(harmonic * std::cos(4 * M_PI * turns)));
      }
    const FringeResult r = demodulated(raw, p, limits_of_words(), nullptr, cpu_backend(1));
    // The harmonic is orthogonal to mean and sine: N h^2 / 2 over N - 3 degrees of freedom. Samples are rounded twice, by
    // 1 in all; a float's sum of N squares is good to N 2^-24 of itself.
    const double residual = harmonic * std::sqrt(steps / 2.0 / (steps - 3.0));
    for (std::size_t x = 0; x < 33; ++x) {
      EXPECT_NEAR(static_cast<double>(r.mean[x]), 20000, 0.51);
      EXPECT_NEAR(static_cast<double>(r.modulation[x]), 10000, 2.01);
      EXPECT_NEAR(static_cast<double>(r.residual[x]), residual, std::sqrt(steps / (steps - 3.0)) + 0.01);
    }
  }
}

TEST(FringeRules, SigmaIsTheSpreadOfTheColumns) {
  FringePattern p = three_periods(4);
  constexpr std::uint32_t n = 40000;
  const double dark = 20, per_grey = 0.05, mean = 20000;
  RawFringes<std::uint16_t> raw = render<std::uint16_t>(
      p, n, 1, [](double, double) { return 640.0; }, mean, 10000);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, std::sqrt(dark * dark + per_grey * mean));
  for (auto& image : raw.samples)
    for (auto& sample : image) sample = static_cast<std::uint16_t>(std::lround(sample + noise(random)));
  FringeLimits limits = limits_of_words();
  limits.noise_grey = static_cast<float>(dark);
  limits.noise_per_grey = static_cast<float>(per_grey);
  const FringeResult r = demodulated(raw, p, limits, nullptr, cpu_backend(2));
  ASSERT_EQ(r.count(FringeClass::ok), n);
  double square = 0, sigma = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    square += std::pow(static_cast<double>(r.column[i]) - 640, 2);
    sigma += static_cast<double>(r.sigma[i]);
  }
  // A standard deviation from n values has the standard deviation 1 / sqrt(2 n) of itself: five of them.
  EXPECT_NEAR(std::sqrt(square / n) / (sigma / n), 1, 5 / std::sqrt(2.0 * n));
}

TEST(FringeRules, HeightsAreTheModelsAndEndWithItsRange) {
  const std::uint32_t width = 200, height = 30;
  const ModelScene scene(width, height, 16);
  const FringePattern p = three_periods(8);
  RawFringes<std::uint16_t> raw = render<std::uint16_t>(
      p, width, height, [](double x, double y) { return 5 * x + y; }, 20000, 15000);
  const FringeResult r = demodulated(raw, p, limits_of_words(), &scene.model, cpu_backend(2));
  std::size_t beyond = 0;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::size_t at = std::size_t{y} * width + x;
      // The scene's coefficients are linear in x and y, so interpolation returns them, but for per_px: its second
      // derivative, 2 0.01^2 / 60^3, leaves 16^2 / 8 times itself, 3e-8 per px, on 60 px and 3000 um.
      const double per_px = 1 / (60 + 0.01 * y);
      const double t = (static_cast<double>(r.column[at]) - (100 + 0.9 * x + 0.01 * y)) * per_px;
      const double above = 10 + 0.1 * x + t * (3000 - 0.1 * y + t * (20 + 0.01 * x + 5 * t));
      const double um = above / (1 + (0.05 + 1e-5 * x) * t);
      if (std::fabs(t) < 1 - 1e-5) {
        ASSERT_EQ(r.classes[at], FringeClass::ok) << x << " " << y;
        // half a count, and ten roundings of a float at 3200 um
        ASSERT_NEAR(r.height[at] * 0.01, um, 0.005 + 10 * 3200 * 0x1p-24 + 3000 * 60 * 3e-8) << x << " " << y;
        ASSERT_NEAR(r.height[at], height_um(scene.model, y, x, r.column[at]) * 100, 1);
        const double slope = (height_um(scene.model, y, x, r.column[at] + 0.0625f) -
                              height_um(scene.model, y, x, r.column[at] - 0.0625f)) /
                             0.125;
        if (std::fabs(t) < 0.99) {
          // a dozen roundings of heights of 3000 um, 2e-4 um each, on a difference of 6 um
          ASSERT_NEAR(r.height_sigma[at] / r.sigma[at], slope, 0.001 * slope);
        }
      } else if (std::fabs(t) > 1 + 1e-5) {
        ++beyond;
        ASSERT_EQ(r.classes[at], FringeClass::out_of_range) << x << " " << y;
        ASSERT_EQ(r.height[at], no_count_32);
        ASSERT_NE(r.column[at], 0);
        ASSERT_TRUE(std::isnan(height_um(scene.model, y, x, r.column[at])));
      }
    }
  EXPECT_GT(beyond, 100u);
}

TEST(FringeRules, NoHeightBesideANodeThatWasNotCalibrated) {
  ModelScene scene(64, 32, 16);
  scene.nodes[1].per_px = std::numeric_limits<float>::quiet_NaN();
  const FringePattern p = three_periods(4);
  RawFringes<std::uint16_t> raw = render<std::uint16_t>(
      p, 64, 32, [](double x, double) { return 100 + x; }, 20000, 15000);
  const FringeResult r = demodulated(raw, p, limits_of_words(), &scene.model, cpu_backend(1));
  for (std::uint32_t y = 0; y < 32; ++y)
    for (std::uint32_t x = 0; x < 64; ++x)
      EXPECT_EQ(r.classes[y * 64 + x], y < 16 && x < 32 ? FringeClass::out_of_range : FringeClass::ok)
          << x << " " << y;
}

TEST(UnwrapPlan, GoesByTheBeatsThatBearMostNoise) {
  const UnwrapPlan plan = plan_unwrapping(three_periods(4), 0.25f);
  ASSERT_EQ(plan.levels, 2u);
  EXPECT_FLOAT_EQ(plan.level[0].period_px, 1680);
  EXPECT_FLOAT_EQ(plan.level[1].period_px, 210);
  EXPECT_EQ(plan.edge_px, 0);
  // 210 px of sqrt(2) against half of 14 px, five sigma
  EXPECT_NEAR(plan.noise_limit_rad, 2 * M_PI * 7 / std::hypot(210 * std::sqrt(2.0), 14) / 5, 1e-9);
  FringePattern one = three_periods(4);
  one.periods = 1;
  one.period_px[0] = 1300;
  EXPECT_EQ(plan_unwrapping(one, 0.25f).levels, 1u);
}

TEST(UnwrapPlan, LeavesTheEdgesOfAPeriodThatJustCoversTheProjector) {
  FringePattern p = three_periods(4);
  p.periods = 2;
  p.period_px[0] = 16;
  p.period_px[1] = 320;
  p.width_px = 320;
  const UnwrapPlan plan = plan_unwrapping(p, 0.25f);
  EXPECT_NEAR(plan.edge_px, 320 * 0.25 / 16, 1e-9);
  EXPECT_EQ(flat_at(p, 4, 20000, 15000).count(FringeClass::unwrap), 17u);
  EXPECT_EQ(flat_at(p, 6, 20000, 15000).count(FringeClass::ok), 17u);
  EXPECT_EQ(flat_at(p, 316, 20000, 15000).count(FringeClass::unwrap), 17u);
}

void expect_refusal(const std::function<void()>& call, const char* words) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const std::invalid_argument& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr(words));
  }
}

TEST(FringeRules, RefusesPatternsThatMeanNothing) {
  const auto expect = [](const std::function<void(FringePattern&)>& change, const char* words) {
    FringePattern p = three_periods(4);
    change(p);
    expect_refusal([&] { plan_unwrapping(p, 0.25f); }, words);
  };
  expect([](FringePattern& p) { p.steps = 2; }, "2 steps; 3 to 32");
  expect([](FringePattern& p) { p.steps = 33; }, "33 steps");
  expect([](FringePattern& p) { p.periods = 0; }, "0 periods; 1 to 3");
  expect([](FringePattern& p) { p.periods = 4; }, "4 periods");
  expect([](FringePattern& p) { p.period_px[1] = 14; }, "period_px 14 stands twice");
  expect([](FringePattern& p) { p.period_px[1] = NAN; }, "period_px nan");
  expect([](FringePattern& p) { p.width_px = 0; }, "width_px 0");
  expect([](FringePattern& p) { p.direction = 0; }, "direction 0; 1 or -1");
  expect([](FringePattern& p) { p.zero_turns = 2; }, "zero_turns 2");
  expect([](FringePattern& p) { p.periods = 2; },
         "periods of 14, 15 px tell columns apart over 210 px, and the projector is 1280 px wide");
  expect([](FringePattern& p) { p.periods = 1; }, "apart over 14 px");
  expect_refusal([] { plan_unwrapping(three_periods(4), 5); }, "leaves no column");
}

TEST(FringeRules, RefusesLimitsImagesAndMapsThatMeanNothing) {
  const FringePattern p = three_periods(3);
  RawFringes<std::uint8_t> raw = ragged_images<std::uint8_t>(p, 20, 10, 1);
  const auto expect = [&](const std::function<void(FringeLimits&, FringeImages&, FringeMaps&)>& change,
                          const char* words, const HeightModel* model = nullptr) {
    FringeLimits limits = limits_of_bytes();
    FringeImages images = raw.images();
    FringeResult r(200, false, model != nullptr);
    change(limits, images, r.maps);
    expect_refusal([&] { demodulate(images, p, limits, model, cpu_backend(1), r.maps); }, words);
  };
  expect([](auto& l, auto&, auto&) { l.camera_maximum = 256; }, "camera_maximum 256; 1 to 255");
  expect([](auto& l, auto&, auto&) { l.min_modulation = 0; }, "min_modulation 0; above 0");
  expect([](auto& l, auto&, auto&) { l.agreement_px = 0; }, "agreement_px 0");
  expect([](auto& l, auto&, auto&) { l.noise_grey = -1; }, "noise_grey");
  expect([](auto&, auto& i, auto&) { i.width = 0; }, "0 x 10 pixels");
  expect([](auto&, auto& i, auto&) { i.images = nullptr; }, "no images");
  expect([&](auto&, auto&, auto&) { raw.pointers[5] = nullptr; }, "image 5 is missing");
  expect([](auto&, auto&, auto& m) { m.classes = nullptr; }, "have no place");
  expect([](auto&, auto&, auto& m) { m.residual = m.mean; }, "3 steps fit any sine");
  std::vector<std::int32_t> heights(200);
  expect([&](auto&, auto&, auto& m) { m.height = heights.data(); }, "heights without a height model");
  ModelScene scene(20, 10, 8);
  const auto nothing = [](auto&, auto&, auto&) {};
  scene.model.cell_px = 12;
  expect(nothing, "cell_px 12; a power of two", &scene.model);
  scene.model.cell_px = 4;
  expect(nothing, "4 x 3 nodes, and an image of 20 x 10 pixels needs 6 x 4", &scene.model);
  scene.model.cell_px = 8;
  scene.nodes[2].bend = 1;
  expect(nothing, "node 2 is not finite or its bend", &scene.model);
  scene.nodes[2].bend = 0;
  scene.nodes[3].height_um[1] = 50000;
  expect(nothing, "beyond 41943 um", &scene.model);
}

}  // namespace
}  // namespace datum
