#include "calib/drift.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace datum {
namespace {

const Eigen::Vector3d artefact(20, -10, 5);
constexpr double deg = M_PI / 180;

/// The sensor 300 mm from the machine's origin, then moved by `shift_um` and rotated by `turn_mdeg` about z,
/// both at the artefact's place.
HtmEstimate<Machine, Sensor> estimate(double u_um, double u_mdeg, const Eigen::Vector3d& shift_um = {0, 0, 0},
                                      double turn_mdeg = 0) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topRightCorner<3, 1>() << 300, 200, 100;
  const Eigen::Vector3d place = (m * artefact.homogeneous()).head<3>();
  Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
  moved.translate(place + shift_um * 1e-3);
  moved.rotate(Eigen::AngleAxisd(turn_mdeg * 1e-3 * deg, Eigen::Vector3d::UnitZ()));
  moved.translate(-place);
  HtmEstimate<Machine, Sensor> e{Htm<Machine, Sensor>(Eigen::Matrix4d(moved.matrix() * m)), {}};
  // d = s + [R p]x w moves the artefact's place p by s alone under a rotation w.
  const double u_rad = u_mdeg * 1e-3 * deg;
  Matrix6d lever = Matrix6d::Identity();
  lever.bottomLeftCorner<3, 3>() = cross_matrix(e.htm.rotation() * artefact);
  Vector6d variance;
  variance << Eigen::Vector3d::Constant(u_rad * u_rad), Eigen::Vector3d::Constant(u_um * u_um * 1e-6);
  e.covariance = lever * variance.asDiagonal() * lever.transpose();
  return e;
}

TEST(Drift, IsLookedAtWhereTheArtefactStands) {
  const Drift d = drift_of(estimate(3, 0.4, {30, -40, 0}, 7), estimate(4, 0.3), artefact, {20, 5});
  // Coordinates below 400 mm, rounded to 6e-14 mm; a rotation of 7 mdeg to 1e-12 mdeg.
  EXPECT_LT((d.shift_um - Eigen::Vector3d(30, -40, 0)).norm(), 1e-9) << d.shift_um;
  EXPECT_LT((d.turn_mdeg - Eigen::Vector3d(0, 0, 7)).norm(), 1e-8) << d.turn_mdeg;
  EXPECT_NEAR(d.u_shift_um, 5, 1e-9) << "3 and 4 um, and nothing of the turn's";
  EXPECT_NEAR(d.u_turn_mdeg, 0.5, 1e-9) << "0.4 and 0.3 mdeg";
  EXPECT_TRUE(d.drifted);
  EXPECT_EQ(
      d.words,
      "shift 50.0 um (+30.0, -40.0, +0.0), U 10.0, allowed 20.0; turn 7.00 mdeg (+0.00, +0.00, +7.00), U "
      "1.00, allowed 5.00");
}

TEST(Drift, IsOneOnlyBeyondItsUncertaintyAndTheLimit) {
  const auto drifted = [](double shift_um, double turn_mdeg, double u_um, double u_mdeg) {
    const auto now = estimate(u_um, u_mdeg, {0, 0, shift_um}, turn_mdeg), then = estimate(0.01, 0.001);
    return drift_of(now, then, artefact, {20, 5}).drifted;
  };
  EXPECT_FALSE(drifted(0, 0, 1, 0.1));
  EXPECT_FALSE(drifted(19.9, 4.9, 1, 0.1)) << "significant, within the limits";
  EXPECT_TRUE(drifted(20.1, 0, 1, 0.1));
  EXPECT_FALSE(drifted(20.1, 0, 10.1, 0.1)) << "beyond the limit, within U = 20.2 um";
  EXPECT_TRUE(drifted(0, 5.1, 1, 0.1));
  EXPECT_FALSE(drifted(0, 5.1, 1, 2.6)) << "within U = 5.2 mdeg";
  EXPECT_TRUE(drifted(20.1, 5.1, 1, 2.6)) << "one is enough";
}

TEST(Drift, IsNotToldWhereItsUncertaintyExceedsTheLimit) {
  const auto drift = [](double shift_um, double u_um, double u_mdeg) {
    return drift_of(estimate(u_um, u_mdeg, {0, 0, shift_um}), estimate(0.01, 0.001), artefact, {20, 5});
  };
  EXPECT_FALSE(drift(1, 9.9, 0.1).untold);
  EXPECT_TRUE(drift(1, 10.1, 0.1).untold) << "U 20.2 um, allowed 20";
  EXPECT_TRUE(drift(1, 1, 2.6).untold) << "U 5.2 mdeg, allowed 5";
  EXPECT_FALSE(drift(50, 10.1, 0.1).untold) << "a drift that is seen is told";
}

}  // namespace
}  // namespace datum
