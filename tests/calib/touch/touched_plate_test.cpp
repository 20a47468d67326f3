// A plate's pose from touches of its upper side and edges: the truth within its covariance, in any orientation, and refusals.
#include "calib/touch/touched_plate.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <random>

#include "tests/refusal.h"

namespace datum::touched_plate_test {
namespace {

using ::testing::HasSubstr;

constexpr PlateShape shape{-28, 40, -22, 32, 0.002, 0.010};
const Probe probe{1.5, 0.0005, 0.001};

struct Sample {
  PlateFace face;
  double x, y, z;  // on the plate
};
const std::vector<Sample> places{{PlateFace::top, -20, -15, 0},    {PlateFace::top, 30, -15, 0},
                                 {PlateFace::top, 30, 25, 0},      {PlateFace::top, -20, 25, 0},
                                 {PlateFace::top, 5, 5, 0},        {PlateFace::left, -28, -18, -3},
                                 {PlateFace::left, -28, 5, -3},    {PlateFace::left, -28, 28, -3},
                                 {PlateFace::lower, -20, -22, -3}, {PlateFace::lower, 30, -22, -3}};

Eigen::Vector3d normal_of(PlateFace face) {
  return face == PlateFace::top     ? Eigen::Vector3d(0, 0, 1)
         : face == PlateFace::left  ? Eigen::Vector3d(-1, 0, 0)
         : face == PlateFace::right ? Eigen::Vector3d(1, 0, 0)
         : face == PlateFace::lower ? Eigen::Vector3d(0, -1, 0)
                                    : Eigen::Vector3d(0, 1, 0);
}

Htm<Machine, Artefact> pose(double turn_rad, const Eigen::Vector3d& axis) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = Eigen::AngleAxisd(turn_rad, axis.normalized()).toRotationMatrix();
  m.topRightCorner<3, 1>() << 300, 200, 50;
  return Htm<Machine, Artefact>(m);
}

/// Touches with each uncertainty of shape and probe sampled once.
std::vector<PlateTouch> touched(const Htm<Machine, Artefact>& at, unsigned seed, bool noisy) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const double u = noisy ? 1 : 0;
  const double radius = probe.radius_mm + u * probe.u_radius_mm * normal(random);
  std::array<std::array<double, 3>, plate_faces> off{};  // shift, tilt along x, along y
  for (auto& face : off)
    for (double& value : face) value = u * normal(random);
  std::vector<PlateTouch> touches;
  for (const Sample& p : places) {
    const auto& o = off[static_cast<std::size_t>(p.face)];
    const double u_face = p.face == PlateFace::top ? shape.u_top_mm : shape.u_edge_mm;
    const Eigen::Vector3d n = normal_of(p.face);
    double form = o[0];
    if (n.x() == 0) form += o[1] * (p.x - 6) / 34;
    if (n.y() == 0) form += o[2] * (p.y - 5) / 27;
    const double along = radius + u_face * form + u * probe.u_touch_mm * normal(random);
    touches.push_back({p.face, at * (Eigen::Vector3d(p.x, p.y, p.z) + along * n)});
  }
  return touches;
}

TEST(TouchedPlate, IsFoundInAnyOrientation) {
  for (const double turn : {0.0, 0.3, 1.6, 3.0}) {
    const auto at = pose(turn, {0.2, -0.1, 1});
    const TouchedPlate found =
        plate_of_touches(touched(at, 1, false), shape, probe, at.rotation() * Eigen::Vector3d(0.3, 0.2, 1));
    const Vector6d off = difference(found.machine_from_plate, at);
    EXPECT_LT(off.norm(), 1e-9) << turn;
    ASSERT_EQ(found.faces.size(), 3u);
    EXPECT_EQ(found.faces[1].touches, 3u);
  }
}

// 200 plates: the squared distances from the truth by the stated covariance have the mean 6 (chi-square of six degrees of freedom,
// variance 12), and the mean of 200 the standard deviation sqrt(12 / 200) = 0.245.
TEST(TouchedPlate, ItsCovarianceIsThatOfItsErrors) {
  double sum = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const auto at = pose(0.4, {0.1, 0.2, 1});
    const TouchedPlate found = plate_of_touches(touched(at, seed, true), shape, probe, {0, 0, 1});
    const Vector6d off = difference(at, found.machine_from_plate);
    sum += off.dot(found.covariance.ldlt().solve(off));
  }
  EXPECT_NEAR(sum / 200, 6, 4 * 0.245);
}

TEST(TouchedPlate, WhatDoesNotFitIsRefused) {
  const auto at = pose(0, {0, 0, 1});
  const auto refusal = [&](std::vector<PlateTouch> touches) {
    return testing::refusal_of<FitRefused>([&] { plate_of_touches(touches, shape, probe, {0, 0, 1}); });
  };
  auto touches = touched(at, 1, false);
  for (PlateTouch& t : touches)
    if (t.face == PlateFace::lower) t.face = PlateFace::upper;
  EXPECT_THAT(refusal(touches), HasSubstr("upper: its touches lie on the other side of the plate"));
  touches = touched(at, 1, false);
  touches.resize(8);
  EXPECT_THAT(refusal(touches), HasSubstr("needed: 3 of one edge, 2 of another one across it"));
  touches = touched(at, 1, false);
  touches.erase(touches.begin(), touches.begin() + 2);
  EXPECT_THAT(refusal(touches), HasSubstr("top: 3 touches; 4 are needed"));
  touches = touched(at, 1, false);
  touches[6].tip_mm.x() = std::nan("");
  EXPECT_THAT(refusal(touches), HasSubstr("no number"));
  touches = touched(at, 1, false);
  for (std::size_t i = 6; i < 8; ++i) touches[i].tip_mm = touches[5].tip_mm;
  EXPECT_THAT(refusal(touches), HasSubstr("spread them along the edge"));
}

}  // namespace
}  // namespace datum::touched_plate_test
