// Surfaces that a thin-plate spline reproduces, coverage of its uncertainties, and refused knots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calib/warp/hull.h"
#include "tests/calib/warp/boards.h"

namespace datum::thin_plate_test {
namespace {

using ::testing::HasSubstr;
using testing::look_at;
using testing::Surface;

const Eigen::Vector2d size_mm(100, 80);
constexpr double tolerance_um = 100;

double plane(double x, double y) { return 40 + 3.5 * x - 1.25 * y; }
/// A board that is 750 um higher in its middle than at its corners, and twisted.
double quadratic(double x, double y) {
  const double u = x / 50 - 1, v = y / 40 - 1;
  return 450 * (1 - u * u) + 300 * (1 - v * v) + 200 * u * v;
}

struct Difference {
  double largest_um = 0, rms_um = 0;
  int outside_u = 0, places = 0;  // beyond U = 2 u
};

Difference compare(const ThinPlate& model, const Surface& truth, double border_mm) {
  Difference d;
  // NOLINTBEGIN(clang-analyzer-security.FloatLoopCounter): a row more or less at the end is as good
  for (double x = border_mm; x <= size_mm.x() - border_mm; x += 2.9) {
    for (double y = border_mm; y <= size_mm.y() - border_mm; y += 2.9) {
      // NOLINTEND(clang-analyzer-security.FloatLoopCounter)
      const double error = model.value_um({x, y}) - truth(x, y);
      d.largest_um = std::max(d.largest_um, std::abs(error));
      d.rms_um += error * error;
      d.outside_u += std::abs(error) > 2 * model.u_um(Eigen::Vector2d(x, y));
      ++d.places;
    }
  }
  d.rms_um = std::sqrt(d.rms_um / d.places);
  return d;
}

std::string refusal(std::vector<WarpKnot> knots, double tolerance = tolerance_um) {
  try {
    ThinPlate(std::move(knots), tolerance);
  } catch (const WarpRefused& e) {
    return e.what();
  }
  return "";
}

TEST(ThinPlateSpline, AnAffineBoardIsReproduced) {
  const ThinPlate model(look_at(plane, size_mm, 7, 6, 0), tolerance_um);
  // Heights up to 390 um, 45 unknowns, condition below 1e5: rounding leaves at most 1e5 * 2^-52 * 390 = 1e-8 um.
  ASSERT_LT(model.health().condition, 1e5);
  EXPECT_LT(compare(model, plane, 0).largest_um, 1e-8);
  EXPECT_NEAR(model.gradient_um_per_mm({31, 17}).x(), 3.5, 1e-9);
  EXPECT_NEAR(model.gradient_um_per_mm({31, 17}).y(), -1.25, 1e-9);
}

// A quadratic is not a thin-plate spline, so the surface between the knots is interpolated: near the edges
// with an error of the order h^2 of a natural boundary (Powell 1994), less inside. Limit: 0.6 % of the form's
// height within 10 mm of the edge of 12 x 10 knots on 100 x 80 mm, always covered by U.
TEST(ThinPlateSpline, AQuadraticBoardIsReproducedToTheInterpolationError) {
  const ThinPlate model(look_at(quadratic, size_mm, 12, 10, 0), tolerance_um);
  const Difference inside = compare(model, quadratic, 10), all = compare(model, quadratic, 0);
  std::printf(
      "quadratic board of 750 um, 120 knots: largest %.2f um inside, %.2f um with the edges; rms %.2f um\n",
      inside.largest_um, all.largest_um, all.rms_um);
  EXPECT_LT(inside.largest_um, 0.006 * 750);
  EXPECT_LT(all.largest_um, 0.02 * 750);
  EXPECT_EQ(all.outside_u, 0);
}

TEST(ThinPlateSpline, UncertaintyCoversWithNoise) {
  int outside = 0, places = 0;
  for (std::uint32_t board = 1; board <= 8; ++board) {
    const Surface bent = [&](double x, double y) {
      return quadratic(x, y) + 15 * std::sin(x / 9.0 + board) * std::cos(y / 11.0);
    };
    const ThinPlate model(look_at(bent, size_mm, 9, 8, 3, board), tolerance_um);
    const Difference d = compare(model, bent, 0);
    outside += d.outside_u;
    places += d.places;
    EXPECT_LT(d.rms_um, 12) << "board " << board;
  }
  // U = 2 u must cover at least 95 % of the places
  EXPECT_LE(outside, places / 20) << outside << " of " << places;
}

TEST(ThinPlateSpline, NoiseIsSmoothed) {
  const ThinPlate model(look_at(plane, size_mm, 10, 10, 5), tolerance_um);
  // Least squares of a plane through 100 heights leaves 5 sqrt(3 / 100) = 0.9 um rms; interpolation would
  // leave 5.
  EXPECT_GE(model.health().lambda, 0.1);
  EXPECT_LT(compare(model, plane, 0).rms_um, 2.5);
}

TEST(ThinPlateSpline, LeaveOneOutIsWhatLeavingOneOutGives) {
  const std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 6, 5, 4);
  const ThinPlate model(knots, tolerance_um);
  for (const std::size_t i : {7u, 17u, 22u}) {  // no corners, so that the coordinates' scale is unchanged
    std::vector<WarpKnot> others = knots;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const ThinPlate without(others, tolerance_um, model.health().lambda);
    EXPECT_NEAR(knots[i].z_um - without.value_um(knots[i].at_mm), model.leave_one_out_um()[i], 1e-6) << i;
  }
}

TEST(ThinPlateSpline, GradientIsTheSlope) {
  const ThinPlate model(look_at(quadratic, size_mm, 6, 5, 0), tolerance_um);
  const Eigen::Vector2d at(37, 22), dx(1e-4, 0), dy(0, 1e-4);
  EXPECT_NEAR(model.gradient_um_per_mm(at).x(), (model.value_um(at + dx) - model.value_um(at - dx)) / 2e-4,
              1e-4);
  EXPECT_NEAR(model.gradient_um_per_mm(at).y(), (model.value_um(at + dy) - model.value_um(at - dy)) / 2e-4,
              1e-4);
}

TEST(ThinPlateSpline, UncertaintyGrowsWithTheDistanceToKnots) {
  std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 9, 8, 1);
  std::erase_if(knots, [](const WarpKnot& k) { return (k.at_mm - Eigen::Vector2d(50, 40)).norm() < 22; });
  const ThinPlate model(knots, tolerance_um);
  const double near = model.u_um(knots[20].at_mm), hole = model.u_um(Eigen::Vector2d(50, 40));
  EXPECT_GT(hole, 3 * near);
  EXPECT_GT(model.u_um(Eigen::Vector2d(115, 95)), 3 * near);
}

TEST(ThinPlateSpline, WhatTheKnotsDoNotKnowTheSurfaceDoesNot) {
  std::vector<WarpKnot> knots = look_at(plane, size_mm, 7, 6, 0);
  for (WarpKnot& k : knots) k.u_um = 5;
  const ThinPlate model(knots, tolerance_um);
  // The knots' shares in a height sum to 1, so their squares to 1 / n at least.
  EXPECT_GE(model.u_um(Eigen::Vector2d(48, 41)), 5 / std::sqrt(42.0));
  EXPECT_LE(model.u_um(knots[10].at_mm), 5.001) << "no more than the knot there";
}

TEST(ThinPlateSpline, AnUncertainKnotHasLittleSay) {
  std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 12, 10, 0);
  for (WarpKnot& k : knots) k.u_um = 0.1;
  WarpKnot& wrong = knots[65];
  wrong.z_um += 30;
  wrong.u_um = 30;
  const ThinPlate model(knots, tolerance_um);
  EXPECT_NEAR(model.value_um(wrong.at_mm), quadratic(wrong.at_mm.x(), wrong.at_mm.y()), 10);
  EXPECT_NEAR(model.value_um(knots[40].at_mm), knots[40].z_um, 1) << "the others are believed";
}

TEST(ThinPlateSpline, LambdaAgainMakesTheSameSurface) {
  const std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 6, 5, 4);
  const ThinPlate chosen(knots, tolerance_um), again(knots, tolerance_um, chosen.health().lambda);
  EXPECT_EQ(chosen.value_um({12, 34}), again.value_um({12, 34}));
}

TEST(ThinPlateSpline, KnotsThatCarryNoSurfaceAreNamed) {
  std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 6, 5, 4);
  EXPECT_THAT(refusal({knots.begin(), knots.begin() + 3}), HasSubstr("3 knots are too few"));
  std::vector<WarpKnot> twice = knots;
  twice.push_back(knots[4]);
  twice.back().name = "again";
  EXPECT_THAT(refusal(twice), HasSubstr("knots K4 and again lie on one place"));
  std::vector<WarpKnot> line = knots;
  for (WarpKnot& k : line) k.at_mm.y() = 3 + 0.5 * k.at_mm.x() + 1e-3 * k.at_mm.y();
  EXPECT_THAT(refusal(line), HasSubstr("lie on a line"));
  std::vector<WarpKnot> nan = knots;
  nan[3].z_um = std::nan("");
  EXPECT_THAT(refusal(nan), HasSubstr("K3 is not finite"));
  EXPECT_THAT(refusal(knots, 1e-9), HasSubstr("condition"));
  EXPECT_EQ(refusal(knots), "");
}

TEST(ConvexHull, HoldsItsPlacesAndNothingElse) {
  const auto hull = convex_hull({{0, 0}, {4, 0}, {2, 1}, {4, 3}, {0, 3}, {2, 0}, {4, 0}});
  ASSERT_EQ(hull.size(), 4u);
  EXPECT_EQ(beyond_hull_mm(hull, {4, 3}), 0);
  EXPECT_EQ(beyond_hull_mm(hull, {2, 2}), 0);
  EXPECT_DOUBLE_EQ(beyond_hull_mm(hull, {7, 7}), 5);
  EXPECT_DOUBLE_EQ(beyond_hull_mm(hull, {2, -0.5}), 0.5);
}

TEST(ThinPlate, ThreadsDoNotMoveASurface) {
  const std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 18, 13, 4);
  const ThinPlate one(knots, tolerance_um), four(knots, tolerance_um, std::nullopt, 4);
  EXPECT_EQ(one.health().lambda, four.health().lambda);
  EXPECT_EQ(one.health().condition, four.health().condition);
  EXPECT_EQ(one.leave_one_out_um(), four.leave_one_out_um());
  for (const Eigen::Vector2d& at : {Eigen::Vector2d(13, 37), Eigen::Vector2d(80, 5)}) {
    EXPECT_EQ(one.value_um(at), four.value_um(at));
    EXPECT_EQ(one.u_um(at), four.u_um(at));
    EXPECT_EQ(one.unresolved_um(at), four.unresolved_um(at));
  }
}

TEST(ThinPlate, RefusesMoreKnotsThanItSolvesInTime) {
  const std::vector<WarpKnot> knots = look_at(quadratic, size_mm, 241, 17, 4);
  EXPECT_THAT(refusal(knots), ::testing::HasSubstr("4097 knots are more than the 4096"));
}

}  // namespace
}  // namespace datum::thin_plate_test
