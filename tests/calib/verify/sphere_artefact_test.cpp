// A sphere seen by a sensor whose pixels average over a footprint: the bias at the equator, and the unbiased
// cap.
#include "calib/artefact/sphere_artefact.h"

#include <gtest/gtest.h>

#include "tests/calib/fit/fit_points.h"
#include "tests/refusal.h"

namespace datum::sphere_artefact_test {
namespace {

using testing::Noise;
using testing::PointList;

const Eigen::Vector3d up(0, 0, 1);
const Sphere truth{{3.1, -2.2, -40}, 38.136};  // the thesis' sphere

constexpr double sigma = 0.005;
constexpr double pitch = 0.3;
constexpr double footprint = 1.2;  // larger than the pitch: blur of optics and matching window

/// Heights of a snapshot from above: averages over the footprint, noise, all visible points of the sphere up
/// to `angle`, and the table around it.
PointList snapshot(double angle, std::uint64_t seed, int table_points = 0) {
  Noise noise(seed);
  PointList points;
  const double r = truth.radius_mm, reach = r * std::sin(angle);
  constexpr int cells = 6;
  // NOLINTBEGIN(clang-analyzer-security.FloatLoopCounter): a row more or less at the end is as good
  for (double x = -reach; x <= reach; x += pitch) {
    for (double y = -reach; y <= reach; y += pitch) {
      // NOLINTEND(clang-analyzer-security.FloatLoopCounter)
      if (std::hypot(x, y) > reach) continue;
      double sum = 0;
      int seen = 0;
      for (int i = 0; i < cells; ++i) {
        for (int k = 0; k < cells; ++k) {
          const double u = x + ((i + 0.5) / cells - 0.5) * footprint,
                       v = y + ((k + 0.5) / cells - 0.5) * footprint;
          if (u * u + v * v >= r * r) continue;
          sum += std::sqrt(r * r - u * u - v * v);
          ++seen;
        }
      }
      points.push_back(truth.center_mm + Eigen::Vector3d(x, y, sum / seen + noise.gauss(sigma)));
    }
  }
  for (int i = 0; i < table_points; ++i) {
    points.push_back({noise.uniform(45, 60), noise.uniform(-60, 60), -78 + noise.gauss(sigma)});
  }
  return points;
}

SphereArtefactSettings settings() {
  SphereArtefactSettings s;
  s.diameter_mm = 2 * truth.radius_mm;
  s.diameter_u_mm = 0.0005;
  s.robust.noise_sigma_mm = sigma;
  return s;
}

TEST(SphereArtefact, TheEquatorMakesThePlainFitTooSmall) {
  const auto fit = fit_sphere(snapshot(1.45, 1));  // to 83 degrees
  // The thesis' finding: too small, by far more than the fit's own uncertainty.
  const double error = fit.feature.radius_mm - truth.radius_mm;
  EXPECT_LT(error, -20 * std::sqrt(fit.covariance(3, 3)));
  EXPECT_LT(error, -0.005);
  EXPECT_GT(fit.feature.center_mm.z() - truth.center_mm.z(), 0) << "its top is held, so its centre rises";
}

/// Errors of the cap's fit, and their limits.
struct CapError {
  SphereSighting seen;
  double radius_mm, height_mm;
};

CapError cap_error(std::uint64_t seed, double footprint_mm) {
  SphereArtefactSettings s = settings();
  s.footprint_mm = footprint_mm;
  CapError e{find_sphere(snapshot(1.45, seed, 3000), up, s), 0, 0};
  e.radius_mm = e.seen.fit.feature.radius_mm - truth.radius_mm;
  e.height_mm = e.seen.fit.feature.center_mm.z() - truth.center_mm.z();
  return e;
}

TEST(SphereArtefact, WithItsFootprintKnownTheCapHasNoneOfTheBias) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CapError e = cap_error(seed, footprint);
    const Eigen::Matrix4d& c = e.seen.fit.covariance;
    // The formula's next term is smaller by (w / (2 R cos a))^2 or 4e-4: negligible against the noise.
    EXPECT_NEAR(e.height_mm, 0, 4 * std::sqrt(c(2, 2)));
    EXPECT_NEAR(e.radius_mm, 0, 4 * std::sqrt(c(3, 3)));
    EXPECT_NEAR(e.seen.fit.feature.center_mm.x(), truth.center_mm.x(), 4 * std::sqrt(c(0, 0)));
    EXPECT_NEAR(e.seen.fit.feature.center_mm.y(), truth.center_mm.y(), 4 * std::sqrt(c(1, 1)));
    EXPECT_GE(e.seen.foreign, 3000u);
    EXPECT_GT(e.seen.beyond_cap, 20000u);
    // Noise in height, seen along the radius: cos^2 is 1 - sin^2(40 deg) / 2 in the mean over the cap's pixels.
    EXPECT_NEAR(e.seen.fit.evidence.sigma_mm, 0.891 * sigma, 0.03 * sigma);
    EXPECT_DOUBLE_EQ(e.seen.size_error_mm, 2 * e.seen.fit.feature.radius_mm - settings().diameter_mm);
  }
}

TEST(SphereArtefact, WithoutItTheCapKeepsTheBiasThatTheHeaderStates) {
  // Least squares of -A (1 + 1 / c^2) by dR + dz c over the cap's pixels, c = cos a from 0.766 to 1, weight
  // c dc, A = w^2 / (24 R): by the midpoint rule.
  double n = 0, c1 = 0, c2 = 0, f1 = 0, fc = 0;
  constexpr int steps = 1000;
  for (int i = 0; i < steps; ++i) {
    const double c = 1 - (1 - std::cos(0.7)) * (i + 0.5) / steps, f = -(1 + 1 / (c * c));
    n += c;
    c1 += c * c;
    c2 += c * c * c;
    f1 += c * f;
    fc += c * c * f;
  }
  const double a = footprint * footprint / (24 * truth.radius_mm);
  const double dz = a * (n * fc - c1 * f1) / (n * c2 - c1 * c1), dr = (a * f1 - dz * c1) / n;
  EXPECT_NEAR(dr, -footprint * footprint / (4.8 * truth.radius_mm), 0.05 * std::abs(dr));
  EXPECT_NEAR(dz, footprint * footprint / (8 * truth.radius_mm), 0.05 * std::abs(dz));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CapError e = cap_error(seed, 0);
    EXPECT_NEAR(e.height_mm, dz, 4 * std::sqrt(e.seen.fit.covariance(2, 2)));
    EXPECT_NEAR(e.radius_mm, dr, 4 * std::sqrt(e.seen.fit.covariance(3, 3)));
  }
}

TEST(SphereArtefact, AViewFromTheSideTakesTheCapThere) {
  // The same points rotated: the cap follows the direction to the sensor.
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(2, Eigen::Vector3d(1, -1, 0.3).normalized()).toRotationMatrix();
  const PointList points = snapshot(1.45, 1);
  PointList turned;
  for (const auto& p : points) turned.push_back(turn * p);
  const auto a = find_sphere(points, up, settings()), b = find_sphere(turned, turn * up, settings());
  // The samples of the search differ, so single points at 3 sigma may be in or out.
  EXPECT_LT((turn * a.fit.feature.center_mm - b.fit.feature.center_mm).norm(),
            0.1 * std::sqrt(a.fit.covariance(2, 2)));
}

TEST(SphereArtefact, ACapThatIsTooSmallIsRefused) {
  SphereArtefactSettings s = settings();
  s.cap_angle_rad = 0.12;
  const std::string why = testing::refusal_of<FitRefused>([&] { find_sphere(snapshot(1.2, 1), up, s); });
  EXPECT_EQ(why.substr(0, 44), "sphere artefact: the cap within 6.88 degrees") << why;
  EXPECT_NE(why.find("leaves the centre uncertain by"), std::string::npos) << why;
  s.cap_angle_rad = 0.02;
  EXPECT_NE(testing::refusal_of<FitRefused>([&] { find_sphere(snapshot(1.2, 1), up, s); }), "(accepted)");
}

TEST(SphereArtefact, AnotherDiameterIsRefused) {
  SphereArtefactSettings s = settings();
  s.diameter_mm = 76.0;
  const std::string why = testing::refusal_of<FitRefused>([&] { find_sphere(snapshot(1.2, 1), up, s); });
  EXPECT_EQ(why.substr(0, 47), "sphere artefact: its diameter was found as 76.2") << why;
}

TEST(SphereArtefact, SettingsThatMeanNothingAreRefused) {
  const PointList points = snapshot(0.5, 1);
  for (const auto& spoil : std::vector<void (*)(SphereArtefactSettings&)>{
           [](SphereArtefactSettings& s) { s.diameter_mm = 0; },
           [](SphereArtefactSettings& s) { s.diameter_u_mm = -1; },
           [](SphereArtefactSettings& s) { s.cap_angle_rad = 40; },
           [](SphereArtefactSettings& s) { s.allowed_size_mm = -1; },
           [](SphereArtefactSettings& s) { s.allowed_center_u_mm = 0; }}) {
    SphereArtefactSettings s = settings();
    spoil(s);
    EXPECT_THROW(find_sphere(points, up, s), std::invalid_argument);
  }
  EXPECT_THROW(find_sphere(points, {0, 0, 0}, settings()), std::invalid_argument);
}

}  // namespace
}  // namespace datum::sphere_artefact_test
