// What a floor's form under a body adds to heights that are picked by rank.
#include <gtest/gtest.h>

#include "daemon/inspection/verdict/uncertainty.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::height_noise_test {
namespace {

/// A top without noise of 50 columns of 40 um and 30 rows of 20 um over a floor of that form's slopes.
class HeightNoises : public ::testing::Test {
 protected:
  HeightNoises() {
    frame_.x.scale_mm = 0.04;
    frame_.y.scale_mm = -0.02;
    heights_.valid = 1500;
    heights_.patches = 1344;
    body_.cols = 50;
    body_.rows = 30;
    component_ = testing::box("U1", 0, 0, 0, 400);
    floor_.form_slope = {0.002, -0.003};
  }
  Measured measured() {
    return {recipe_, sensor_, frame_, component_, site_, floor_, heights_, body_, noise_};
  }
  OrderStatistic at(std::uint32_t rank) const { return {rank, rank - 1, rank + 1, 0, 0, 0}; }

  Recipe recipe_;
  SensorProfile sensor_;
  HeightFrame frame_;
  Component component_;
  Site site_;
  Floor floor_;
  HeightStatistics heights_;
  BodyEvidence body_;
  FrameNoise noise_;
};

// the ends of 2000 um along x and 600 um along y lie 2 um and 0.9 um higher or lower than their middle
constexpr double lift_um = (0.002 * 2000 + 0.003 * 600) / 2;

TEST_F(HeightNoises, OfExtremesHoldTheWholeLiftOfTheForm) {
  EXPECT_NEAR(extreme_noise(measured(), {}).lift, lift_um, 1e-12);
  EXPECT_NEAR(opened_noise(measured(), {}).lift, lift_um, 1e-12);
  floor_.form_slope.setZero();
  EXPECT_EQ(extreme_noise(measured(), {}).lift, 0);
}

TEST_F(HeightNoises, OfRanksHoldItByTheirDistanceFromTheMedian) {
  EXPECT_NEAR(order_noise(at(750), measured(), {}).lift, 0, 0.01);
  EXPECT_NEAR(order_noise(at(375), measured(), {}).lift, lift_um / 2, 0.01);
  EXPECT_NEAR(order_noise(at(1125), measured(), {}).lift, lift_um / 2, 0.01);
  EXPECT_NEAR(order_noise(at(1499), measured(), {}).lift, lift_um, 0.01);
  EXPECT_NEAR(top_mean_noise(15, measured(), {}).lift, 0.99 * lift_um, 1e-12);
}

}  // namespace
}  // namespace datum::height_noise_test
