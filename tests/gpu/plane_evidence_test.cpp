// The count of other levels beside a plane.
#include "gpu/plane_fit/plane_evidence.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace testing;

PlaneFitSettings settings_of(float threshold, float refit_threshold) {
  PlaneFitSettings s;
  s.threshold = threshold;
  s.refit_threshold = refit_threshold;
  return s;
}

/// 1000 points of a plane, `others` of a level `step` above it, spread by +-2.
Scene two_levels(int others, double step) {
  Scene s;
  s.half_x = s.half_y = 100;
  Random random(4);
  for (int i = 0; i < 1000 + others; ++i) {
    const double x = random.between(-100, 100), y = random.between(-100, 100);
    s.add(x, y, 0.5 * x - 0.25 * y + 7 + random.between(-2, 2) + (i < 1000 ? 0 : step), i < 1000);
  }
  return s;
}

PlaneFit true_fit() {
  PlaneFit f;
  f.a = 0.5, f.b = -0.25, f.c = 7;
  return f;
}

TEST(PlaneEvidence, CountsTheOtherLevel) {
  for (const double step : {-300., -25., 25., 300.}) {
    const LevelEvidence e = plane_evidence(two_levels(300, step).points(), true_fit(), settings_of(5, 15));
    EXPECT_EQ(e.floor, 1000u);
    EXPECT_EQ(e.second, 300u);
    // A window is 10 wide and the level 4: it holds all of it with its centre up to 3 off, in steps of 5 / 8.
    EXPECT_NEAR(e.second_offset, step, 3.7);
    EXPECT_DOUBLE_EQ(e.ratio(), 0.3);
  }
}

TEST(PlaneEvidence, SeesNoLevelInTheFloorItselfOrFarAway) {
  const LevelEvidence alone = plane_evidence(two_levels(0, 0).points(), true_fit(), settings_of(5, 15));
  EXPECT_EQ(alone.second, 0u);
  EXPECT_EQ(alone.second_offset, 0);
  EXPECT_EQ(plane_evidence(two_levels(300, 10).points(), true_fit(), settings_of(5, 15)).second,
            0u);  // inliers
  EXPECT_EQ(plane_evidence(two_levels(300, 400).points(), true_fit(), settings_of(5, 15)).second,
            0u);  // 80 thresholds
}

TEST(PlaneEvidence, ScatterIsNoLevel) {
  Scene s = two_levels(0, 0);
  Random random(9);
  for (int i = 0; i < 1000; ++i) s.add(0, 0, 7 + random.between(-310, 310), false);
  const LevelEvidence e = plane_evidence(s.points(), true_fit(), settings_of(5, 15));
  // Uniform over 620: a window of 10 expects 16, s = 4; the fullest of some 900 overlapping ones stays below
  // + 5 s.
  EXPECT_GT(e.second, 16u);
  EXPECT_LT(e.second, 36u);
}

TEST(PlaneEvidence, IgnoresPointsWithoutAHeightAndRefusesBadThresholds) {
  Scene s = two_levels(300, 25);
  const LevelEvidence full = plane_evidence(s.points(), true_fit(), settings_of(5, 15));
  for (int i = 0; i < 100; ++i) s.add(0, 0, std::nan(""), false);
  const LevelEvidence same = plane_evidence(s.points(), true_fit(), settings_of(5, 15));
  EXPECT_EQ(same.second, full.second);
  EXPECT_EQ(same.floor, full.floor);
  EXPECT_EQ(LevelEvidence{}.ratio(), 1);  // no floor: nothing speaks for it
  EXPECT_THROW(plane_evidence(s.points(), true_fit(), settings_of(0, 15)), std::invalid_argument);
  EXPECT_THROW(plane_evidence(s.points(), true_fit(), settings_of(5, HUGE_VALF)), std::invalid_argument);
}

}  // namespace
}  // namespace datum
