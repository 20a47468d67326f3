// Advice for the mechanical alignment of a sensor.
#include "calib/verify/mounting.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

#include "calib/euler_angles.h"

namespace datum {
namespace mounting_test {

constexpr double deg = std::numbers::pi / 180;

/// A level flat as a sensor sees it that stands turned by these angles.
Fit<Plane3, 3> flat_seen(const Eigen::Vector3d& angles, double noise_mm, unsigned seed) {
  const Eigen::Matrix3d sensor_from_level = rotation_from_intrinsic_xyz(angles).transpose();
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, noise_mm);
  std::vector<Eigen::Vector3d> points;
  for (int x = -10; x <= 10; ++x)
    for (int y = -8; y <= 8; ++y)
      points.push_back(sensor_from_level * Eigen::Vector3d(3.0 * x, 3.0 * y, 20 + noise(random)));
  return fit_plane(points, Eigen::Vector3d::UnitZ());
}

TEST(Mounting, RollAndPitchOfAFlatAreThoseOfTheSensorWhateverItsYaw) {
  for (const double yaw : {0.0, 0.4 * deg}) {
    const Mounting m = mounting_of_flat(flat_seen({1.5 * deg, -0.7 * deg, yaw}, 0, 1));
    // a yaw turns both into each other by its sine: 1.5 degrees * 0.007
    EXPECT_NEAR(m.roll.rad, 1.5 * deg, 0.012 * deg * (yaw > 0) + 1e-12);
    EXPECT_NEAR(m.pitch.rad, -0.7 * deg, 0.012 * deg * (yaw > 0) + 1e-12);
    EXPECT_FALSE(m.yaw);
  }
}

TEST(Mounting, TurningBackMakesItStraight) {
  const Eigen::Vector3d stands(2 * deg, 3 * deg, -1 * deg);
  const Mounting m =
      mounting_of_artefact(rotation_from_intrinsic_xyz(stands).transpose(), Eigen::Matrix3d::Zero());
  EXPECT_NEAR(m.roll.rad, stands.x(), 1e-12);
  EXPECT_NEAR(m.pitch.rad, stands.y(), 1e-12);
  ASSERT_TRUE(m.yaw);
  EXPECT_NEAR(m.yaw->rad, stands.z(), 1e-12);
}

// 300 repetitions: 4 % of a standard deviation; 16 % are four of that.
TEST(Mounting, UIsTheScatterOfRepetitions) {
  double roll = 0, u_roll = 0, pitch = 0, u_pitch = 0;
  for (unsigned k = 0; k < 300; ++k) {
    const Mounting m = mounting_of_flat(flat_seen({4 * deg, -6 * deg, 0}, 0.02, k));
    roll += std::pow(m.roll.rad - 4 * deg, 2);
    pitch += std::pow(m.pitch.rad + 6 * deg, 2);
    u_roll += std::pow(m.roll.u_rad, 2);
    u_pitch += std::pow(m.pitch.u_rad, 2);
  }
  EXPECT_NEAR(std::sqrt(roll / u_roll), 1, 0.16);
  EXPECT_NEAR(std::sqrt(pitch / u_pitch), 1, 0.16);
}

}  // namespace mounting_test
}  // namespace datum
