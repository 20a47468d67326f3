#include "calib/verify/verification.h"

#include <gtest/gtest.h>

#include "tests/calib/fit/fit_points.h"

namespace datum {
namespace {

using testing::Noise;
using testing::PointList;

const Eigen::Vector3d up(0, 0, 1);

/// Six points in opposite pairs and four more: radius 10 along x and y, 10.003 and 9.999 along z.
PointList known_sphere() {
  PointList points;
  for (const double s : {-1.0, 1.0}) {
    points.push_back({100 + s * 10, 0, 0});
    points.push_back({100, s * 10, 0});
    points.push_back({100, 0, s * 10});
  }
  return points;
}

TEST(Verification, ProbingErrorOfAKnownForm) {
  // Two pairs of poles pulled out and in by 3 um, symmetrically: centre and radius stay, form is 6 um.
  PointList points = known_sphere();
  for (auto& p : points) {
    if (p.z() != 0) p.z() *= 1.0003;
    if (p.y() != 0) p.y() *= 0.9997;
  }
  const ProbingError e = probing_error(points, 19.99, 0.0005, Discard::none);
  // Coordinates below 128 mm, rounded by 1.4e-14 mm: 1e-9 um covers the fit's few operations. The
  // displacements of 3 um in 10 mm change the radius in second order only, and opposite ones cancel.
  EXPECT_NEAR(e.form_um, 6, 1e-6);
  EXPECT_NEAR(e.size_um, 10, 1e-6);
  EXPECT_EQ(e.discarded, 0u);
  EXPECT_NEAR(e.size_u_um, std::hypot(2000 * std::sqrt(e.fit.covariance(3, 3)), 0.5), 1e-9);
}

TEST(Verification, WorstPointsAreDiscardedOnlyWhereAsked) {
  Noise noise(51);
  PointList points = testing::on_sphere({{1, 2, 3}, 10}, up, 1, 1000, 0.001, noise);
  for (std::size_t i = 0; i < 3; ++i) points[100 * i] += up * 0.1;  // three per mille of speckle
  const ProbingError all = probing_error(points, 20, 0, Discard::none);
  EXPECT_GT(all.form_um, 90);
  EXPECT_EQ(all.discarded, 0u);
  const ProbingError kept = probing_error(points, 20, 0, Discard::worst_three_per_mille);
  EXPECT_EQ(kept.discarded, 3u);
  EXPECT_EQ(kept.fit.evidence.points, 1000u);
  EXPECT_EQ(kept.fit.evidence.used, 997u);
  // Range of 997 normal errors of 1 um: 6.5 um, below 10 with a probability of 0.9994.
  EXPECT_LT(kept.form_um, 10);
  // Three per mille of 999 are two.
  points.pop_back();
  EXPECT_EQ(probing_error(points, 20, 0, Discard::worst_three_per_mille).discarded, 2u);
}

TEST(Verification, SphereSpacingErrorHasItsUncertaintyAlongTheLine) {
  Fit<Sphere, 4> first, second;
  first.feature = {{0, 0, 0}, 10};
  second.feature = {{30, 40, 0}, 10};
  first.covariance = Eigen::Vector4d(9e-6, 16e-6, 1, 1).asDiagonal();
  second.covariance = Eigen::Vector4d(0, 0, 1, 1).asDiagonal();
  const SpacingError e = sphere_spacing_error(first, second, 49.99, 0.001);
  EXPECT_DOUBLE_EQ(e.measured_mm, 50);
  EXPECT_NEAR(e.error_um, 10, 1e-9);
  // Along (0.6, 0.8): 0.36 x 9 + 0.64 x 16 = 13.48 um^2, and 1 um of the calibration.
  EXPECT_NEAR(e.u_um, std::sqrt(13.48 + 1), 1e-9);
  EXPECT_THROW(sphere_spacing_error(first, first, 50, 0), std::invalid_argument);
}

TEST(Verification, FlatnessIsTheRangeAboutThePlane) {
  // A saddle of +-4 um on a tilted plate: the least-squares plane is the plate.
  const Eigen::Vector3d normal = Eigen::Vector3d(0.1, -0.2, 1).normalized();
  const auto t = tangents(normal);
  PointList points;
  for (int i = -5; i <= 5; ++i) {
    for (int k = -5; k <= 5; ++k) {
      points.push_back(Eigen::Vector3d(5, 6, 7) + t.col(0) * i + t.col(1) * k +
                       normal * (i * k * 0.004 / 25));
    }
  }
  const FlatnessError e = flatness_error(points, up, Discard::none);
  EXPECT_NEAR(e.flatness_um, 8, 1e-9);
  EXPECT_LT((e.fit.feature.normal - normal).norm(), 1e-12);
  EXPECT_EQ(e.discarded, 0u);
  points[60] += normal * 0.05;
  PointList dense;
  for (int copy = 0; copy < 9; ++copy) dense.insert(dense.end(), points.begin(), points.end());
  EXPECT_EQ(flatness_error(dense, up, Discard::worst_three_per_mille).discarded, 3u) << "of 1089 points";
}

TEST(Verification, CalibratedLengthsThatMeanNothingAreRefused) {
  const PointList points = known_sphere();
  EXPECT_THROW(probing_error(points, 0, 0, Discard::none), std::invalid_argument);
  EXPECT_THROW(probing_error(points, NAN, 0, Discard::none), std::invalid_argument);
  EXPECT_THROW(probing_error(points, 20, -1, Discard::none), std::invalid_argument);
  EXPECT_THROW(probing_error({points.data(), 4}, 20, 0, Discard::none), FitRefused);
}

}  // namespace
}  // namespace datum
