// Random features with random parts, sizes and noise: each fit is refused, or correct within its uncertainty.
#include <gtest/gtest.h>

#include "calib/fit/construction.h"
#include "tests/calib/fit/fit_points.h"

namespace datum::campaign_test {
namespace {

using testing::Noise;

// Errors over stated uncertainties follow Student's t with 20 and more degrees of freedom: beyond 9 with a
// probability below 2e-8, never in tens of thousands of trials.
constexpr double limit = 9;
constexpr int least_points = 30;

struct Draw {
  double radius, sigma;
  int count;
  Eigen::Vector3d place, direction;
};

Draw drawn(Noise& noise, double most_noise_exponent) {
  Draw d;
  d.radius = std::pow(10, noise.uniform(0, 2));
  d.sigma = d.radius * std::pow(10, noise.uniform(-7, most_noise_exponent));
  d.count = static_cast<int>(least_points * std::pow(10, noise.uniform(0, 1)));
  d.place = 100 * noise.isotropic(1);
  d.direction = noise.isotropic(1).normalized();
  return d;
}

/// Permitted error of the fitted radius: noise lengthens it in second order too (FitLimits::relative_noise).
double allowed(const Draw& d, double variance) {
  return limit * std::sqrt(variance) + d.sigma * d.sigma / d.radius;
}

TEST(FitCampaign, NoSphereIsAcceptedWrong) {
  Noise noise(91);
  int accepted = 0;
  constexpr int trials = 3000;
  for (int k = 0; k < trials; ++k) {
    const Draw d = drawn(noise, -1.5);
    const double angle = std::pow(10, noise.uniform(-2, 0.49));
    const auto points = testing::on_sphere({d.place, d.radius}, d.direction, angle, d.count, d.sigma, noise);
    try {
      const auto fit = fit_sphere(points);
      ++accepted;
      EXPECT_NEAR(fit.feature.radius_mm, d.radius, allowed(d, fit.covariance(3, 3))) << k;
    } catch (const FitRefused&) {
      // A paraboloid over a disc: u(R) / R = sqrt(12 / n) sigma / sagitta, 3 % here: no reason to refuse.
      EXPECT_LT(d.radius * angle * angle / 2, 20 * d.sigma) << k;
    }
  }
  EXPECT_GT(accepted, trials / 2);
}

TEST(FitCampaign, NoCircleIsAcceptedWrong) {
  Noise noise(92);
  int accepted = 0;
  constexpr int trials = 3000;
  for (int k = 0; k < trials; ++k) {
    const Draw d = drawn(noise, -1.5);
    const double arc = std::pow(10, noise.uniform(-1.5, 0.79));
    const auto points = testing::on_circle({d.place, d.direction, d.radius}, arc, d.count, d.sigma, noise);
    try {
      const auto fit = fit_circle(points);
      ++accepted;
      EXPECT_NEAR(fit.feature.radius_mm, d.radius, allowed(d, fit.covariance(5, 5))) << k;
    } catch (const FitRefused&) {
      // A parabola over a chord: u(R) / R = sqrt(45 / (4 n)) sigma / sagitta, 3 % here as well.
      EXPECT_LT(d.radius * arc * arc / 8, 20 * d.sigma) << k;
    }
  }
  EXPECT_GT(accepted, trials / 2);
}

TEST(FitCampaign, NoCylinderIsAcceptedWrong) {
  Noise noise(93);
  int accepted = 0;
  constexpr int trials = 300;
  for (int k = 0; k < trials; ++k) {
    const Draw d = drawn(noise, -2);
    const double arc = noise.uniform(0.4, 6.28), half = d.radius * std::pow(10, noise.uniform(-1.3, 0.7));
    const auto points =
        testing::on_cylinder({d.place, d.direction, d.radius}, half, arc, d.count, d.sigma, noise);
    try {
      const auto fit = fit_cylinder(points);
      ++accepted;
      EXPECT_NEAR(fit.feature.radius_mm, d.radius, allowed(d, fit.covariance(4, 4))) << k;
      const double u = std::sqrt(fit.covariance.topLeftCorner<2, 2>().trace());
      EXPECT_LT(fit.feature.direction.cross(d.direction).norm(), limit * u) << k;
    } catch (const FitRefused&) {
    }
  }
  EXPECT_GT(accepted, trials * 8 / 10);
}

}  // namespace
}  // namespace datum::campaign_test
