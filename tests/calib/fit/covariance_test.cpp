// Coverage of the covariances: over many measurements the true value lies inside k = 2 as often as stated.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "calib/fit/construction.h"
#include "tests/calib/fit/fit_points.h"

namespace datum::covariance_test {
namespace {

using testing::Noise;

constexpr int trials = 2000;
constexpr double sigma = 0.01;
const Eigen::Vector3d axis = Eigen::Vector3d(0.2, -0.35, 0.9).normalized();
const Eigen::Vector3d center(120, -40, 310);

/// Errors of P parameters, and the stated covariance of each trial.
template <int P>
class Coverage {
 public:
  explicit Coverage(double degrees_of_freedom) : freedom_(degrees_of_freedom) {}

  void add(const Eigen::Matrix<double, P, 1>& error, const Eigen::Matrix<double, P, P>& covariance) {
    for (int i = 0; i < P; ++i) inside_[i] += std::abs(error[i]) <= 2 * std::sqrt(covariance(i, i));
    squares_ += error.dot(covariance.inverse() * error);
    ++trials_;
  }

  void expect_honest(const char* what) const {
    // |t| <= 2 for Student's t with f degrees of freedom: 95.45 % - 27 % / f to first order. The count is
    // binomial; 4 standard deviations of 2000 trials are 1.9 %, within 93 to 97 %.
    const double share = 0.9545 - 0.27 / freedom_;
    const double band = 4 * std::sqrt(share * (1 - share) / trials_);
    for (int i = 0; i < P; ++i) EXPECT_NEAR(inside_[i] / trials_, share, band) << what << ", parameter " << i;
    // All parameters together: P times F(P, f), with mean P f / (f - 2) and a variance of about
    // 2 P (1 + (P + 4) / f).
    const double spread = std::sqrt(2 * P * (1 + (P + 4) / freedom_) / trials_);
    EXPECT_NEAR(squares_ / trials_, P * freedom_ / (freedom_ - 2), 4 * spread) << what;
  }

 private:
  double freedom_;
  std::array<double, P> inside_{};
  double squares_ = 0;
  int trials_ = 0;
};

/// Tilt from the fitted direction to the true one, along the fitted one's tangents.
Eigen::Vector2d tilt(const Eigen::Vector3d& fitted, const Eigen::Vector3d& truth) {
  return tangents(fitted).transpose() * truth / fitted.dot(truth);
}

/// Intersection of the true line with the plane through `point` perpendicular to the fitted one, in the
/// tangents.
Eigen::Vector2d offset(const Line3& fitted, const Line3& truth) {
  const double s =
      fitted.direction.dot(fitted.point_mm - truth.point_mm) / fitted.direction.dot(truth.direction);
  return tangents(fitted.direction).transpose() * (truth.point_mm + s * truth.direction - fitted.point_mm);
}

TEST(Covariance, Plane) {
  Noise noise(21);
  Coverage<3> coverage(50 - 3);
  for (int k = 0; k < trials; ++k) {
    const auto fit = fit_plane(testing::on_plane({center, axis}, 20, 3, 50, sigma, noise), axis);
    Eigen::Vector3d error;
    error << tilt(fit.feature.normal, axis), fit.feature.normal.dot(center - fit.feature.point_mm);
    coverage.add(error, fit.covariance);
  }
  coverage.expect_honest("plane");
}

TEST(Covariance, Line) {
  Noise noise(22);
  Coverage<4> coverage(2 * 30 - 4);
  for (int k = 0; k < trials; ++k) {
    const auto fit = fit_line(testing::on_line({center, axis}, 20, 30, sigma, noise));
    Eigen::Vector4d error;
    error << tilt(fit.feature.direction, axis), offset(fit.feature, {center, axis});
    coverage.add(error, fit.covariance);
  }
  coverage.expect_honest("line");
}

TEST(Covariance, CircleInSpace) {
  Noise noise(23);
  Coverage<6> coverage(2 * 30 - 6);
  for (int k = 0; k < trials; ++k) {
    const auto fit = fit_circle(testing::on_circle({center, axis, 8}, 2.5, 30, sigma, noise));
    Eigen::Matrix<double, 6, 1> error;
    error << center - fit.feature.center_mm, tilt(fit.feature.normal, axis), 8 - fit.feature.radius_mm;
    coverage.add(error, fit.covariance);
  }
  coverage.expect_honest("circle");
}

TEST(Covariance, CircleAlongAKnownNormal) {
  Noise noise(24);
  Coverage<3> coverage(30 - 3);
  for (int k = 0; k < trials; ++k) {
    auto points = testing::on_circle({center, axis, 8}, 2.5, 30, sigma, noise);
    for (auto& p : points) p += axis * noise.uniform(-3, 3);  // a hole touched at several depths
    const auto fit = fit_circle(points, axis);
    Eigen::Vector3d error;
    error << tangents(axis).transpose() * (center - fit.feature.center_mm), 8 - fit.feature.radius_mm;
    coverage.add(error, fit.covariance);
  }
  coverage.expect_honest("circle along its normal");
}

TEST(Covariance, Sphere) {
  Noise noise(25);
  Coverage<4> coverage(40 - 4);
  for (int k = 0; k < trials; ++k) {
    const auto fit = fit_sphere(testing::on_sphere({center, 19}, axis, 0.8, 40, sigma, noise));
    Eigen::Vector4d error;
    error << center - fit.feature.center_mm, 19 - fit.feature.radius_mm;
    coverage.add(error, fit.covariance);
  }
  coverage.expect_honest("sphere");
}

TEST(Covariance, Cylinder) {
  Noise noise(26);
  Coverage<5> coverage(50 - 5);
  for (int k = 0; k < trials; ++k) {
    const auto fit =
        fit_cylinder(testing::on_cylinder({center, axis, 8}, 15, 2.5, 50, sigma, noise), {0, 0, 1});
    Eigen::Matrix<double, 5, 1> error;
    error << tilt(fit.feature.direction, axis),
        offset({fit.feature.point_mm, fit.feature.direction}, {center, axis}), 8 - fit.feature.radius_mm;
    coverage.add(error, fit.covariance);
  }
  coverage.expect_honest("cylinder");
}

TEST(Covariance, IntersectionOfPlanes) {
  Noise noise(27);
  const Eigen::Vector3d other = Eigen::Vector3d(0.9, 0.1, 0.4).normalized();
  // Patches beside their common line, like the flanks of a slot.
  const Plane3 first{center + Eigen::Vector3d(3, 1, 0), axis},
      second{center + Eigen::Vector3d(-2, 5, 1), other};
  const Line3 truth = intersection(first, second);
  Coverage<4> coverage(2 * (60 - 3));  // two sigmas of 57 degrees of freedom each
  for (int k = 0; k < trials; ++k) {
    const auto found = intersection(fit_plane(testing::on_plane(first, 20, 3, 60, sigma, noise), axis),
                                    fit_plane(testing::on_plane(second, 20, 3, 60, sigma, noise), other));
    Eigen::Vector4d error;
    error << tilt(found.line.direction, truth.direction), offset(found.line, truth);
    coverage.add(error, found.covariance);
  }
  coverage.expect_honest("intersection");
}

}  // namespace
}  // namespace datum::covariance_test
