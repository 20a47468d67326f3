// Bow, twist, warpage and local flatness of boards with closed-form shapes.
#include <gtest/gtest.h>

#include "calib/warp/warp_shape.h"
#include "tests/calib/warp/boards.h"

namespace datum::warp_shape_test {
namespace {

using testing::look_at;

const Eigen::Vector2d size_mm(100, 80);
const WarpArea board{size_mm / 2, size_mm, 0};

/// Dense knots without noise: only the interpolation error of thin_plate_test, at most 2 % of the form.
ThinPlate model_of(const testing::Surface& surface) { return {look_at(surface, size_mm, 15, 13, 0), 100}; }

TEST(WarpShape, BowIsTheEdgesHeightOverItsLength) {
  const ThinPlate model = model_of([](double x, double) {
    const double u = x / 50 - 1;
    return 600 * (1 - u * u) + 5 * x;  // a slope is no bow
  });
  const WarpValue bow = bow_percent(model, board);
  EXPECT_NEAR(bow.value, 100 * 0.6 / 100, 0.02 * 0.6);
  EXPECT_LE(std::abs(bow.value - 0.6), 2 * bow.u);
  EXPECT_GT(bow.lift, bow.u);
  EXPECT_GT(convexity_um(model, board).value, 0.98 * 600);
  EXPECT_NEAR(twist_percent(model, board).value, 0, 2 * twist_percent(model, board).u);
}

TEST(WarpShape, ASaggingBoardHasTheSameBowAndTheOtherSign) {
  const ThinPlate model = model_of([](double, double y) {
    const double v = y / 40 - 1;
    return -300 * (1 - v * v);
  });
  EXPECT_NEAR(bow_percent(model, board).value, 100 * 0.3 / 80, 0.02 * 0.375);
  EXPECT_LT(convexity_um(model, board).value, -0.98 * 300);
}

TEST(WarpShape, TwistIsTheFourthCornersHeightOverTwiceTheDiagonal) {
  for (const double sign : {1.0, -1.0}) {
    const ThinPlate model =
        model_of([&](double x, double y) { return sign * 250 * (x / 50 - 1) * (y / 40 - 1) - 4 * y; });
    const WarpValue twist = twist_percent(model, board);
    const double true_percent = 100 * 4 * 0.25 / (2 * std::hypot(100, 80));
    EXPECT_NEAR(twist.value, true_percent, 0.02 * true_percent);
    EXPECT_LE(std::abs(twist.value - true_percent), 2 * twist.u);
    EXPECT_NEAR(bow_percent(model, board).value, 0, 2 * bow_percent(model, board).u);
  }
}

TEST(WarpShape, PeakToValleyIsFromTheLeastSquaresPlane) {
  const ThinPlate model = model_of([](double x, double) {
    const double u = x / 50 - 1;
    return 600 * (1 - u * u) - 7 * x;
  });
  // subtracting the plane removes the mean, not the form: the range remains 600
  const WarpValue pv = peak_to_valley_um(model, board);
  EXPECT_NEAR(pv.value, 600, 0.02 * 600);
  EXPECT_LE(std::abs(pv.value - 600), 2 * pv.u);
}

TEST(WarpShape, AFootprintsFlatnessIsOfItsOwnArea) {
  const ThinPlate model = model_of([](double x, double) {
    const double u = x / 50 - 1;
    return 600 * (1 - u * u);
  });
  // 10 mm of a bow with 600 um over 100 mm: 600 / 100 = 6 um from end to middle; rotated by 90 degrees: its 6
  // mm, 2.16
  const WarpArea along{{50, 40}, {10, 6}, 0}, across{{50, 40}, {10, 6}, M_PI / 2};
  const WarpValue a = peak_to_valley_um(model, along), b = peak_to_valley_um(model, across);
  EXPECT_LE(std::abs(a.value - 6), 2 * a.u);
  EXPECT_LE(std::abs(b.value - 2.16), 2 * b.u);
  EXPECT_NEAR(a.value, 6, 2);
  EXPECT_LT(b.value, a.value);
  EXPECT_NEAR(peak_to_valley_um(model, along, 8).value, a.value, 0.02 * a.value)
      << "of a quadratic, all is in 9 places";
}

/// Patches of 2 mm along the edges of 48 x 36 mm and a lattice between them, noise of 0.5 um.
std::vector<WarpKnot> patches(const testing::Surface& surface, int columns, std::uint32_t board) {
  std::vector<WarpKnot> knots;
  const int rows = columns * 3 / 4;
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j) {
      WarpKnot k;
      k.at_mm = {1 + 46.0 * i / (columns - 1), 1 + 34.0 * j / (rows - 1)};
      const auto number = static_cast<std::uint32_t>(knots.size());
      k.z_um = surface(k.at_mm.x(), k.at_mm.y()) + 0.5 * testing::normal_of(board, number);
      k.u_um = 0.5;
      k.name = "P" + std::to_string(number);
      knots.push_back(k);
    }
  return knots;
}

const WarpArea small{{24, 18}, {48, 36}, 0};

// A twist is a quadratic, which the trend contains for any number of patches.
TEST(WarpShape, PureTwistIsNotLowAtDensePatches) {
  const double true_percent = 0.1 * 4 * 160 / (2 * 60.0);
  for (const int columns : {5, 8, 12}) {
    double bias = 0, u = 0;
    for (std::uint32_t board = 1; board <= 10; ++board) {
      const ThinPlate model(
          patches([](double x, double y) { return 160 * (x / 24 - 1) * (y / 18 - 1); }, columns, board), 100);
      const WarpValue twist = twist_percent(model, small);
      bias += (twist.value - true_percent) / 10;
      u += twist.u / 10;
    }
    // four standard uncertainties of a mean of ten boards
    EXPECT_LE(std::abs(bias), 4 * u / std::sqrt(10)) << columns;
    EXPECT_LE(std::abs(bias), 0.005 * true_percent) << columns;
  }
}

// A V-score: two flat halves. Its line lies between or on patches.
TEST(WarpShape, AFoldBetweenPatchesLiesWithinU) {
  int outside = 0, tried = 0;
  double u = 0;
  for (const int columns : {5, 8, 12})
    for (std::uint32_t board = 0; board < 20; ++board) {
      const double fold = board < 10 ? 24 : 14 + board, slope = 144 / 24.0, turn = board < 10 ? 0 : 0.2;
      const ThinPlate model(
          patches([&](double x, double y) { return -slope * std::abs(x - fold + turn * (y - 18)); }, columns,
                  board + 1),
          100);
      double truth = 0;  // of the lower and the upper edge, at the fold
      for (const double y : {0.0, 36.0}) {
        const double at = fold - turn * (y - 18);
        truth = std::max(truth, 0.1 * slope * 2 * at * (48 - at) / 48 / 48);
      }
      const WarpValue bow = bow_percent(model, small);
      outside += std::abs(bow.value - truth) >
                 2 * std::hypot(bow.u, bow.lift / std::sqrt(3), bow.between / std::sqrt(3));
      u += bow.u;
      ++tried;
    }
  EXPECT_LE(outside, tried * 6 / 100) << "of " << tried << ", mean u " << u / tried;
}

}  // namespace
}  // namespace datum::warp_shape_test
