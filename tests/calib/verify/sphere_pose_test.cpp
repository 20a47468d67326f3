// A transform from points known in both systems, such as centres of spheres.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <string>

#include "calib/artefact/sphere_artefact.h"
#include "tests/calib/fit/fit_points.h"
#include "tests/refusal.h"

namespace datum::sphere_pose_test {
namespace {

using testing::Noise;

const Eigen::Matrix4d truth = [] {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() =
      Eigen::AngleAxisd(2.5, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  m.topRightCorner<3, 1>() << 120, -340, 77;
  return m;
}();
const std::vector<Eigen::Vector3d> in_sensor{{-40, -30, 2}, {45, -25, -3}, {5, 40, 6}, {0, 0, 30}};

Eigen::Vector3d in_machine(const Eigen::Vector3d& p) { return (truth * p.homogeneous()).head<3>(); }

std::vector<PointPair> exact(std::size_t count) {
  std::vector<PointPair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back({in_machine(in_sensor[i]), in_sensor[i],
                     1e-6 * Eigen::Vector3d(1, 1, 4).asDiagonal().toDenseMatrix(),
                     1e-6 * Eigen::Vector3d(4, 4, 25).asDiagonal().toDenseMatrix()});
  }
  return pairs;
}

std::string refusal_of(const std::vector<PointPair>& pairs) {
  return testing::refusal_of<FitRefused>([&] { align_pairs(pairs); });
}

TEST(SpherePose, ExactPointsGiveTheTransform) {
  for (const std::size_t count : {3u, 4u}) {
    const auto estimate = htm_from_pairs<Machine, Sensor>(exact(count));
    // Coordinates below 512 mm, rounded by 6e-14 each.
    EXPECT_LT((estimate.htm.matrix() - truth).cwiseAbs().maxCoeff(), 2e-12);
  }
}

TEST(SpherePose, ItsCovarianceIsHonest) {
  constexpr int trials = 2000;
  Noise noise(61);
  std::array<double, 6> inside{};
  double squares = 0, chi = 0;
  for (int k = 0; k < trials; ++k) {
    auto pairs = exact(4);
    for (auto& p : pairs) {  // standard deviations: the roots of exact()'s covariances
      p.to_mm += Eigen::Vector3d(noise.gauss(0.001), noise.gauss(0.001), noise.gauss(0.002));
      p.from_mm += Eigen::Vector3d(noise.gauss(0.002), noise.gauss(0.002), noise.gauss(0.005));
    }
    const auto estimate = htm_from_pairs<Machine, Sensor>(pairs);
    const Vector6d error = difference(Htm<Machine, Sensor>(truth), estimate.htm);
    for (int i = 0; i < 6; ++i) inside[i] += std::abs(error[i]) <= 2 * std::sqrt(estimate.covariance(i, i));
    squares += error.dot(estimate.covariance.inverse() * error) / trials;
    chi += align_pairs(pairs).chi_square / trials;
  }
  // The covariances are known, so errors are normal: 95.45 %, binomial within 4 standard deviations; chi-square
  // of 6 has mean 6 and variance 12.
  const double band = 4 * std::sqrt(0.9545 * 0.0455 / trials);
  for (const double n : inside) EXPECT_NEAR(n / trials, 0.9545, band);
  EXPECT_NEAR(squares, 6, 4 * std::sqrt(12.0 / trials));
  EXPECT_NEAR(chi, 6, 4 * std::sqrt(12.0 / trials));
}

TEST(SpherePose, AMirroredSystemIsNamedWhereFourSpheresShowIt) {
  auto pairs = exact(4);
  for (auto& p : pairs) p.from_mm.x() = -p.from_mm.x();
  EXPECT_EQ(refusal_of(pairs).substr(0, 71),
            "alignment of points: mirrored: with one axis reversed the points fit to")
      << refusal_of(pairs);
}

TEST(SpherePose, ThreeSpheresGiveAProperRotationEvenMirrored) {
  auto pairs = exact(3);
  for (auto& p : pairs) p.from_mm.x() = -p.from_mm.x();
  EXPECT_NEAR(align_pairs(pairs).matrix.determinant(), 1, 1e-12);
}

TEST(SpherePose, ContradictionsAreRefused) {
  auto pairs = exact(4);
  std::swap(pairs[0].to_mm, pairs[1].to_mm);
  EXPECT_NE(refusal_of(pairs).find("do not fit each other"), std::string::npos) << refusal_of(pairs);
  pairs = exact(3);
  for (auto& p : pairs) p.to_mm *= 1.001;  // a scale: 85 um between the spheres
  EXPECT_NE(refusal_of(pairs).find("do not fit each other"), std::string::npos);
  pairs = exact(4);
  pairs[2].to_mm.z() += 0.05;  // one sphere moved
  EXPECT_NE(refusal_of(pairs).find("one moved between"), std::string::npos);
}

TEST(SpherePose, PointsThatHoldNoTransformAreRefused) {
  EXPECT_EQ(refusal_of(exact(2)), "alignment of points: 2 points, needs at least 3 that are not on a line");
  auto pairs = exact(3);
  pairs[2].from_mm = (pairs[0].from_mm + pairs[1].from_mm) / 2 + Eigen::Vector3d(0, 0, 0.1);
  pairs[2].to_mm = in_machine(pairs[2].from_mm);
  EXPECT_EQ(refusal_of(pairs),
            "alignment of points: the 3 points lie on a line: nothing holds the turn about it; place one "
            "beside it");
  pairs = exact(3);
  pairs[1].to_covariance.setZero();
  pairs[1].from_covariance.setZero();
  EXPECT_EQ(refusal_of(pairs),
            "alignment of points: point 1 has a covariance that is not positive: state how well it is known");
  pairs = exact(3);
  pairs[0].from_mm.y() = NAN;
  EXPECT_EQ(refusal_of(pairs), "alignment of points: point 0 has a number that is not finite");
}

}  // namespace
}  // namespace datum::sphere_pose_test
