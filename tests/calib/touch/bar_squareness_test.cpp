// Squareness of two axes from a ball bar: exact, its uncertainty by repetition, and refusals.
#include "calib/touch/bar_squareness.h"

#include <gmock/gmock.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "calib/stage.h"
#include "tests/refusal.h"

namespace datum {
namespace bar_squareness_test {

using ::testing::HasSubstr;

constexpr double ball_mm = 12, tip_mm = 1.5, bar_mm = 300;

/// Touches of both balls of a bar between true places; the scales read A^-1 of the true position.
BarTouches bar(const Eigen::Vector3d& from, const Eigen::Vector3d& along, const Eigen::Matrix3d& a,
               double noise_mm = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 1);
  BarTouches out;
  for (std::size_t ball = 0; ball < 2; ++ball) {
    const Eigen::Vector3d centre = from + (ball == 1 ? bar_mm : 0.0) * along.normalized();
    for (int k = 0; k < 9; ++k) {
      const double phi = 0.785 * k, theta = k == 8 ? 0 : (k % 2 ? 0.5 : 1.3);
      const Eigen::Vector3d n(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                              std::cos(theta));
      const Eigen::Vector3d tip = centre + (ball_mm + tip_mm + noise_mm * noise(random)) * n;
      out[ball].push_back(a.inverse() * tip);
    }
  }
  return out;
}

// The thesis' machine: 8.073e-4 rad in xy. Balls are no spheres by the scales, s of their radius either way, alike in both
// places; terms of second order are s^2 = 7e-7 and an eighth of a percent of s.
TEST(BarSquareness, IsThatOfTheMachineInEachPlane) {
  const Eigen::Vector3d squareness(8.073e-4, -3e-4, 5e-4), scale(40, -25, 10);
  const Eigen::Matrix3d a = stage_matrix(squareness, scale);
  const AxisPair pairs[] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
  for (int k = 0; k < 3; ++k) {
    Eigen::Vector3d plus = Eigen::Vector3d::Zero(), minus = plus;
    plus[pairs[k].first] = minus[pairs[k].first] = 1;
    plus[pairs[k].second] = 1;
    minus[pairs[k].second] = -1;
    const BarSquareness s =
        squareness_of_bars(bar({10, 20, 30}, plus, a), bar({10, 250, 260}, minus, a), pairs[k], 0.001);
    EXPECT_NEAR(s.squareness_rad, squareness[k], 2e-6) << k;
    EXPECT_NEAR(s.squareness_rad, squareness_from_diagonals(s.plus_mm, s.minus_mm), 1e-6);
  }
}

// 3 degrees off the diagonals the scales' difference of 65 ppm enters by cos(2 * 48): 65e-6 * 0.1 * 2.
TEST(BarSquareness, ABarBesideTheDiagonalChangesLittle) {
  const Eigen::Matrix3d a = stage_matrix({8.073e-4, 0, 0}, {40, -25, 0});
  const double t = std::tan(48 * M_PI / 180);
  const BarSquareness s =
      squareness_of_bars(bar({0, 0, 0}, {1, t, 0.02}, a), bar({0, 300, 0}, {1, -1, 0}, a), {}, 0.001);
  EXPECT_NEAR(s.squareness_rad, 8.073e-4, 2e-5);
}

// 300 repetitions: a standard deviation is known to 4 %; 16 % are four of that.
TEST(BarSquareness, UIsTheScatterOfRepetitions) {
  double squares = 0, told = 0;
  for (unsigned k = 0; k < 300; ++k) {
    const Eigen::Matrix3d none = Eigen::Matrix3d::Identity();
    const BarSquareness s =
        squareness_of_bars(bar({0, 0, 0}, {1, 1, 0}, none, 0.002, 2 * k),
                           bar({0, 300, 0}, {1, -1, 0}, none, 0.002, 2 * k + 1), {}, 1e-6);
    squares += s.squareness_rad * s.squareness_rad;
    told += s.u_rad * s.u_rad;
  }
  EXPECT_NEAR(std::sqrt(squares / told), 1, 0.16);
  const Eigen::Matrix3d none = Eigen::Matrix3d::Identity();
  const auto u = [&](double u_touch) {
    return squareness_of_bars(bar({0, 0, 0}, {1, 1, 0}, none, 1e-5), bar({0, 300, 0}, {1, -1, 0}, none, 1e-5),
                              {}, u_touch)
        .u_rad;
  };
  EXPECT_NEAR(u(0.004) / u(0.002), 2, 1e-9) << "what is stated counts where touches scatter less";
}

TEST(BarSquareness, RefusesWhatIsNoBarInTwoPlaces) {
  const Eigen::Matrix3d none = Eigen::Matrix3d::Identity();
  const BarTouches plus = bar({0, 0, 0}, {1, 1, 0}, none), minus = bar({0, 300, 0}, {1, -1, 0}, none);
  const auto refusal = [](const BarTouches& a, const BarTouches& b) {
    return testing::refusal_of<FitRefused>([&] { squareness_of_bars(a, b, {}, 0.001); });
  };
  EXPECT_EQ(refusal(plus, minus), "(accepted)");
  EXPECT_THAT(refusal(plus, plus), HasSubstr("bar minus lies 90"));
  EXPECT_THAT(refusal(bar({0, 0, 0}, {1, 0, 0}, none), minus), HasSubstr("bar plus lies 45"));
  EXPECT_THAT(refusal(bar({0, 0, 0}, {1, 1, 0.3}, none), minus), HasSubstr("leans by 11"));
  BarTouches few = plus;
  few[1].resize(3);
  EXPECT_THAT(refusal(few, minus), HasSubstr("bar plus, ball 2: "));
  BarTouches one = plus;
  one[1] = one[0];
  EXPECT_THAT(refusal(one, minus), HasSubstr("both balls are one"));
  BarTouches longer = plus;
  for (auto& p : longer[1]) p += Eigen::Vector3d(5, 5, 0);
  EXPECT_THAT(refusal(longer, minus), HasSubstr("one bar must lie in both"));
}

}  // namespace bar_squareness_test
}  // namespace datum
