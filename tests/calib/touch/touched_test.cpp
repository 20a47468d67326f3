#include "calib/touch/touched.h"

#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "tests/refusal.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

const Probe probe{1.5, 0.001, 0.002};

// Coordinates below 200 mm: fit and compensation lose a few of 2e-14 mm each.
constexpr double rounding_mm = 1e-11;

const Eigen::Vector3d normal = Eigen::Vector3d(0.3, -0.5, 0.8).normalized();
const Eigen::Vector3d middle(120, -40, 65);

/// n places on a 20 mm grid of the plane through `middle`, shifted by `off_mm` along the normal.
std::vector<Eigen::Vector3d> on_plane(double off_mm, int n = 9) {
  const auto t = tangents(normal);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < n; ++i)
    points.push_back(middle + t * Eigen::Vector2d(10 * (i % 3 - 1), 10 * (i / 3 - 1)) + off_mm * normal);
  return points;
}

std::vector<Eigen::Vector3d> on_circle(double radius_mm, int n = 8) {
  const auto t = tangents(normal);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / n;
    points.push_back(middle + t * (radius_mm * Eigen::Vector2d(std::cos(angle), std::sin(angle))));
  }
  return points;
}

std::vector<Eigen::Vector3d> on_sphere(double radius_mm) {
  std::vector<Eigen::Vector3d> points;
  for (const double z : {-0.2, 0.3, 0.8})
    for (int i = 0; i < 5; ++i)
      points.push_back(middle + radius_mm * Eigen::Vector3d(std::sqrt(1 - z * z) * std::cos(1.3 * i),
                                                            std::sqrt(1 - z * z) * std::sin(1.3 * i), z));
  return points;
}

TEST(TouchedPlane, SurfaceIsARadiusBehindTheCentres) {
  const auto touched = plane_of_touches(on_plane(probe.radius_mm), {0, 0, 5}, probe, middle + 9 * normal);
  EXPECT_LT((touched.fit.feature.point_mm - middle).norm(), rounding_mm);
  EXPECT_LT((touched.fit.feature.normal - normal).norm(), rounding_mm);
  const auto surface = on_plane(0);
  for (std::size_t i = 0; i < surface.size(); ++i)
    EXPECT_LT((touched.surface_mm[i] - surface[i]).norm(), rounding_mm);
}

TEST(TouchedPlane, SignErrorsAreRefused) {
  const auto touches = on_plane(probe.radius_mm);
  EXPECT_THAT(testing::refusal_of<FitRefused>(
                  [&] { plane_of_touches(touches, -normal, probe, middle + 9 * normal); }),
              HasSubstr("behind the plane that it touched: outward points into the material"));
  const Eigen::Vector3d elsewhere = (normal + 2 * tangents(normal).col(0)).normalized();  // 63 degrees away
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] { plane_of_touches(touches, elsewhere, probe); }),
            "the touched plane lies 63 degrees from where the face should look: another face was touched, or "
            "left and right are exchanged");
}

// 9 touches on a 3 x 3 grid of 10 mm: sum x^2 = 600, so tilt sigma/sqrt(600), offset sigma/3 and the radius.
TEST(TouchedPlane, ProbeIsInTheCovariance) {
  const auto touched = plane_of_touches(on_plane(probe.radius_mm), normal, probe);
  EXPECT_NEAR(std::sqrt(touched.fit.covariance(0, 0)), 0.002 / std::sqrt(600.0), 1e-12);
  EXPECT_NEAR(std::sqrt(touched.fit.covariance(2, 2)), std::hypot(0.002 / 3, 0.001), 1e-12);
}

// The residuals' scatter counts where it exceeds the probe's stated uncertainty.
TEST(TouchedPlane, ScatterAboveTheProbesIsKept) {
  auto touches = on_plane(probe.radius_mm);
  for (std::size_t i = 0; i < touches.size(); ++i) touches[i] += (i % 2 ? 0.02 : -0.02) * normal;
  const auto touched = plane_of_touches(touches, normal, probe);
  EXPECT_GT(touched.fit.evidence.sigma_mm, 0.02);
  EXPECT_NEAR(std::sqrt(touched.fit.covariance(0, 0)), touched.fit.evidence.sigma_mm / std::sqrt(600.0),
              1e-12);
}

TEST(TouchedCircle, BoreGrowsAndBossShrinksByTheRadius) {
  const auto bore = circle_of_touches(on_circle(3.5), normal, Surface::bore, probe, {}, middle);
  EXPECT_NEAR(bore.feature.radius_mm, 5, rounding_mm);
  EXPECT_LT((bore.feature.center_mm - middle).norm(), rounding_mm);
  const auto boss = circle_of_touches(on_circle(6.5), normal, Surface::boss, probe, {},
                                      middle + tangents(normal).col(0) * 9);
  EXPECT_NEAR(boss.feature.radius_mm, 5, rounding_mm);
}

TEST(TouchedCircle, SignErrorsAreRefused) {
  const NominalRadius nominal{5, 0.5};
  EXPECT_EQ(
      testing::refusal_of<FitRefused>(
          [&] { circle_of_touches(on_circle(3.5), normal, Surface::boss, probe, nominal); }),
      "as a boss the radius is 2 mm, nominal is 5 +- 0.5 mm: as a bore it would fit; correct which it is");
  EXPECT_THAT(testing::refusal_of<FitRefused>(
                  [&] { circle_of_touches(on_circle(4.5), normal, Surface::bore, probe, nominal); }),
              HasSubstr("the radius is 6 mm, nominal is 5 +- 0.5 mm: another feature was touched"));
  EXPECT_THAT(testing::refusal_of<FitRefused>(
                  [&] { circle_of_touches(on_circle(1.2), normal, Surface::boss, probe); }),
              HasSubstr("within the probe's own radius of 1.5 mm: it was a bore"));
  EXPECT_EQ(testing::refusal_of<FitRefused>(
                [&] { circle_of_touches(on_circle(3.5), normal, Surface::boss, probe, {}, middle); }),
            "the probe came from 0 mm off the middle and touched at 3.5 mm: that is no boss");
  EXPECT_EQ(testing::refusal_of<FitRefused>(
                [&] { circle_of_touches(on_circle(3.5), normal, Surface::bore, probe, nominal); }),
            "(accepted)");
}

// 8 touches all round: center sigma sqrt(2/8), radius sigma/sqrt(8) and the probe's own radius.
TEST(TouchedCircle, ProbeIsInTheCovariance) {
  const auto fit = circle_of_touches(on_circle(3.5), normal, Surface::bore, probe);
  EXPECT_NEAR(std::sqrt(fit.covariance(0, 0)), 0.002 / 2, 1e-12);
  EXPECT_NEAR(std::sqrt(fit.covariance(2, 2)), std::hypot(0.002 / std::sqrt(8.0), 0.001), 1e-12);
}

TEST(TouchedSphere, BallAndSocket) {
  const auto ball = sphere_of_touches(on_sphere(14), Surface::boss, probe, NominalRadius{12.5, 0.1});
  EXPECT_NEAR(ball.feature.radius_mm, 12.5, rounding_mm);
  EXPECT_GT(ball.covariance(3, 3), probe.u_radius_mm * probe.u_radius_mm);
  EXPECT_NEAR(sphere_of_touches(on_sphere(11), Surface::bore, probe).feature.radius_mm, 12.5, rounding_mm);
  EXPECT_THAT(testing::refusal_of<FitRefused>([&] {
                sphere_of_touches(on_sphere(14), Surface::bore, probe, NominalRadius{12.5, 0.1});
              }),
              HasSubstr("as a boss it would fit"));
  EXPECT_THAT(testing::refusal_of<FitRefused>(
                  [&] { sphere_of_touches(on_sphere(14), Surface::boss, probe, {}, middle); }),
              HasSubstr("that is no boss"));
}

// 4000 sampled circles of 4 touches, with the probe's radius sampled too. The share inside k = 2 of a normal
// error is 95.45 % with a standard deviation of 0.33 %; four of those are 1.3 %. Four touches have one degree
// of freedom: sigma of the residuals exceeds u_touch in a third of the cases and only widens the interval.
TEST(TouchedCircle, CovarianceIsHonest) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  const auto t = tangents(normal);
  int inside_center = 0, inside_radius = 0;
  constexpr int n = 4000;
  for (int k = 0; k < n; ++k) {
    auto touches = on_circle(3.5 + probe.u_radius_mm * noise(random), 4);
    for (auto& p : touches) p += t * Eigen::Vector2d(noise(random), noise(random)) * probe.u_touch_mm;
    const auto fit = circle_of_touches(touches, normal, Surface::bore, probe);
    const double dx = t.col(0).dot(fit.feature.center_mm - middle);
    inside_center += std::abs(dx) <= 2 * std::sqrt(fit.covariance(0, 0));
    inside_radius += std::abs(fit.feature.radius_mm - 5) <= 2 * std::sqrt(fit.covariance(2, 2));
  }
  EXPECT_GE(inside_center, static_cast<int>(0.9415 * n));
  EXPECT_GE(inside_radius, static_cast<int>(0.9415 * n));
}

TEST(Probe, RefusedWithWhatIsAllowed) {
  EXPECT_EQ(testing::refusal_of<FitRefused>([] {
              check(Probe{0, 0, 0.001});
            }),
            "probe: radius_mm = 0; allowed: above 0");
  EXPECT_EQ(testing::refusal_of<FitRefused>([] {
              check(Probe{1, 2, 0.001});
            }),
            "probe: u_radius_mm = 2; allowed: from 0 to below its radius of 1");
  EXPECT_EQ(testing::refusal_of<FitRefused>([] {
              check(Probe{1, 0, 0});
            }),
            "probe: u_touch_mm = 0; allowed: above 0");
}

}  // namespace
}  // namespace datum
