// A level, a ramp or bow under part of a ring: the floor is the board's own level and U holds the truth, or it is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_levels_test {
namespace {

using testing::change_pixels;
using testing::make_scene;
using testing::render;
using testing::Scene;

constexpr double um_per_count = 0.5;
// U1: 400 um high, 2 x 1.2 mm at (3, 4); its ring ends 0.8 mm outside of it
constexpr double ring_x0 = 1.2, ring_x1 = 4.8, ring_y0 = 2.6, ring_y1 = 5.4;
constexpr double true_height_um = 400;

/// Adds level_um(x, y) to the pixels around U1, which itself stays where it is.
Scene with_level(Scene s, const std::function<double(double, double)>& level_um) {
  change_pixels(s, ring_x0, ring_y0, ring_x1, ring_y1,
                [&](int row, int col, std::int16_t& count, PixelClass&) {
                  const double x = s.frame.x.at(col), y = s.frame.y.at(row);
                  if (std::abs(x - 3) <= 1.01 && std::abs(y - 4) <= 0.61) return;
                  count = static_cast<std::int16_t>(count + std::lround(level_um(x, y) / um_per_count));
                });
  return s;
}

Scene even_scene() {
  Scene s = make_scene();
  render(s);
  return s;
}

ComponentVerdict u1(const Scene& s) { return s.inspect().components.at(0); }

/// Noise of 2 um, rounded to 0.5 um; the body's 1,000 pixels and the ring's 4,000 scatter by 0.1 um.
void expect_right(const ComponentVerdict& c, double allowed_um) {
  const CheckVerdict& check = c.checks.at(0);
  ASSERT_EQ(check.reason, Reason::none) << check.detail;
  EXPECT_NEAR(check.value, true_height_um, allowed_um);
  EXPECT_LE(std::abs(check.value - true_height_um), 2 * check.u);
}

TEST(Levels, AnEvenRingKeepsTheBackendsPlane) {
  const ComponentVerdict c = u1(even_scene());
  expect_right(c, 0.4);
  EXPECT_EQ(c.floor.tiles_off, 0u);
  EXPECT_NEAR(c.floor.noise_um, 2, 0.1);
  EXPECT_LT(c.floor.between_um, 0.15);
}

class Step : public ::testing::TestWithParam<double> {};

TEST_P(Step, UnderAThirdIsLeftOut) {
  const Scene s = with_level(even_scene(), [](double x, double) { return x < 2.1 ? GetParam() : 0; });
  const ComponentVerdict c = u1(s);
  expect_right(c, 0.4);
  EXPECT_GT(c.floor.tiles_off.value(), 5u);
}

TEST_P(Step, UnderHalfIsRefused) {
  const Scene s =
      with_level(even_scene(), [](double x, double y) { return x - 3 + 0.1 * (y - 4) < 0 ? GetParam() : 0; });
  const CheckVerdict check = u1(s).checks.at(0);
  EXPECT_STREQ(name_of(check.reason), "FLOOR_SECOND_LEVEL") << check.value << ' ' << check.detail;
}

// 1000 um are 500 standard deviations: beyond what a histogram of residuals reaches
INSTANTIATE_TEST_SUITE_P(Um, Step, ::testing::Values(8, 20, 35, 150, 1000));

/// Below two standard deviations no pixel and no tile shows it, but the halves do; a carrier that may have such form is not
/// refused for it.
TEST(Levels, HalvesALittleApartAreRefusedByTheirStep) {
  Scene s = with_level(even_scene(), [](double x, double y) { return x - 3 + 0.1 * (y - 4) < 0 ? 3 : 0; });
  const CheckVerdict check = u1(s).checks.at(0);
  EXPECT_STREQ(name_of(check.reason), "FLOOR_SECOND_LEVEL") << check.value;
  EXPECT_NE(check.detail.find("um apart"), std::string::npos) << check.detail;
  s.recipe.floor.form_um = 2;
  expect_right(u1(s), 3);
}

TEST(Levels, AStepOfOneStandardDeviationIsInU) {
  for (const double step : {1.0, 2.0, 3.0, 4.0}) {
    const ComponentVerdict c =
        u1(with_level(even_scene(), [&](double x, double) { return x < 2.1 ? step : 0; }));
    expect_right(c, step / 3 + 0.3);
  }
}

TEST(Levels, StandWhateverTheProfileAndTheThresholdsSay) {
  for (const double factor : {1.0, 1.8, 4.0}) {
    Scene s = with_level(even_scene(), [](double x, double) { return x < 2.1 ? 12.0 : 0; });
    s.sensor.noise = {{0.0}, {2.0 * factor}};
    s.recipe.floor.refit_threshold_sigmas = 2;
    s.recipe.floor.max_rms_sigmas = 1.6;
    const ComponentVerdict c = u1(s);
    expect_right(c, 0.4);
    EXPECT_EQ(c.checks.at(0).detail.find("noise.sigma_um says") != std::string::npos, factor > 2.5);
  }
}

TEST(Levels, ARampIsLeftOutButForItsFoot) {
  const Scene s =
      with_level(even_scene(), [](double x, double) { return x < 2.1 ? 35 * (2.1 - x) / 0.9 : 0; });
  expect_right(u1(s), 0.8);
}

TEST(Levels, BowEntersU) {
  // 5 um per mm^2 about U1's centre, on floor and body alike
  Scene s = even_scene();
  change_pixels(s, 0, 0, 12, 8, [&](int row, int col, std::int16_t& count, PixelClass&) {
    const double x = s.frame.x.at(col) - 3, y = s.frame.y.at(row) - 4;
    count = static_cast<std::int16_t>(count + std::lround(5 * (x * x + y * y) / um_per_count));
  });
  const CheckVerdict check = u1(s).checks.at(0);
  ASSERT_EQ(check.reason, Reason::none) << check.detail;
  EXPECT_GT(std::abs(check.value - true_height_um), 5)
      << "the ring's plane lies above the board under the body";
  EXPECT_LE(std::abs(check.value - true_height_um), 2 * check.u);
}

TEST(Levels, ExpectedFormIsOneLevel) {
  Scene s = with_level(even_scene(), [](double x, double) { return x < 2.1 ? 12.0 : 0; });
  const std::uint32_t left_out = u1(s).floor.tiles_off.value();
  s.recipe.floor.form_um = 10;
  const ComponentVerdict c = u1(s);
  EXPECT_LT(c.floor.tiles_off.value(), left_out / 2) << "those that the level's edge crosses";
  EXPECT_LE(std::abs(c.checks.at(0).value - true_height_um), 2 * c.checks.at(0).u) << "and enters U";
}

}  // namespace
}  // namespace datum::inspect_levels_test
