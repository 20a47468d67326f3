// Signs, exactness and refusals of fits.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "calib/fit/construction.h"
#include "tests/calib/fit/fit_points.h"
#include "tests/refusal.h"

namespace datum::refusal_test {
namespace {

using testing::Noise;
using testing::PointList;

const Eigen::Vector3d axis = Eigen::Vector3d(0.2, -0.35, 0.9).normalized();

// Coordinates below 512 mm are rounded by 6e-14. A fit of exact points amplifies this by the ratio of ten
// between distance from the origin and patch size.
constexpr double rounding_mm = 2e-12;

PointList grid(const Eigen::Vector3d& u, const Eigen::Vector3d& v) {
  PointList points;
  for (int i = -3; i <= 3; ++i) {
    for (int k = -3; k <= 3; ++k) points.push_back(i * u + k * v);
  }
  return points;
}

// daemon/inspection/METROLOGY.md, E14: a power iteration from (1, 0, 0) returns that vector for z = const.
TEST(FeatureFit, PlanesAlongTheAxesHaveTheirNormals) {
  const Eigen::Vector3d x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  EXPECT_EQ(fit_plane(grid(x, y), z).feature.normal, z);
  EXPECT_EQ(fit_plane(grid(y, z), x).feature.normal, x);
  EXPECT_EQ(fit_plane(grid(z, x), y).feature.normal, y);
  EXPECT_EQ(fit_plane(grid(x, y), -z).feature.normal, -z);
  EXPECT_EQ(fit_plane(grid(x, y), Eigen::Vector3d(5, 5, -0.1)).feature.normal, -z);
}

TEST(FeatureFit, TangentsAreARightHandedSystem) {
  for (const Eigen::Vector3d& d : {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(0, -1, 0), axis}) {
    const auto t = tangents(d);
    EXPECT_LT((t.col(0).cross(t.col(1)) - d).norm(), 1e-15);
    EXPECT_LT(std::abs(t.col(0).dot(d)), 1e-15);
  }
  EXPECT_EQ(tangents({0, 0, 1}).col(0), Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(tangents({0, 0, 1}).col(1), Eigen::Vector3d(0, 1, 0));
}

TEST(FeatureFit, ExactPointsGiveTheFeatureBack) {
  Noise noise(31);
  const Eigen::Vector3d c(120, -40, 310);
  const auto sphere = fit_sphere(testing::on_sphere({c, 19}, axis, 1, 40, 0, noise));
  EXPECT_LT((sphere.feature.center_mm - c).norm(), 20 * rounding_mm);
  EXPECT_NEAR(sphere.feature.radius_mm, 19, 20 * rounding_mm);
  EXPECT_LT(sphere.evidence.largest_mm, rounding_mm);
  const auto circle = fit_circle(testing::on_circle({c, axis, 8}, 6, 12, 0, noise));
  EXPECT_LT((circle.feature.center_mm - c).norm(), rounding_mm);
  EXPECT_LT((circle.feature.normal - axis).norm(), rounding_mm);
  const auto points = testing::on_cylinder({c, axis, 8}, 15, 3, 60, 0, noise);
  const auto cylinder = fit_cylinder(points);
  EXPECT_LT((cylinder.feature.direction - axis).norm(), rounding_mm);
  EXPECT_NEAR(cylinder.feature.radius_mm, 8, 5 * rounding_mm);
  EXPECT_LT((cylinder.feature.point_mm - c).cross(axis).norm(), 5 * rounding_mm);
}

TEST(FeatureFit, EvidenceCountsResiduals) {
  // Four corners of a square, one pair up and one down by 0.01: the plane through the middle.
  const PointList points{{0, 0, 0.01}, {10, 10, 0.01}, {10, 0, -0.01}, {0, 10, -0.01}};
  const FitEvidence e = fit_plane(points, {0, 0, 1}).evidence;
  EXPECT_EQ(e.points, 4u);
  EXPECT_NEAR(e.rms_mm, 0.01, 1e-15);
  EXPECT_NEAR(e.sigma_mm, 0.02, 1e-15) << "4 squares of 0.01 over one degree of freedom";
  EXPECT_NEAR(e.largest_mm, 0.01, 1e-15);
}

TEST(FeatureFit, RefusesTooFewCoincidentAndNotFinitePoints) {
  const Eigen::Vector3d up(0, 0, 1);
  const PointList three{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(
      testing::refusal_of<FitRefused>([&] { fit_plane(three, up); }),
      "plane: 3 points, needs at least 4 (one more than fix it, so that residuals show whether they lie on "
      "it): measure more points");
  const PointList same(9, Eigen::Vector3d(120.1, -40.7, 310.3));
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] { fit_sphere(same); }),
            "sphere: the 9 points coincide: measure points that are apart");
  PointList broken = grid({1, 0, 0}, {0, 1, 0});
  broken[7].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] { fit_plane(broken, up); }),
            "plane: point 7 has a coordinate that is not finite: leave points without a value out");
  // Squares of such a sentinel overflow, and NaN passes many comparisons.
  broken[7].y() = -1e300;
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] { fit_line(broken); }),
            "line: point 7 lies 1e+300 mm from the origin: no coordinate in mm, leave it out");
  const PointList some = grid(up, {1, 0, 0});
  for (const auto& call :
       std::vector<std::function<void()>>{[&] {
                                            fit_line({some.data(), 2});
                                          },
                                          [&] { fit_circle(three); }, [&] { fit_circle(three, up); },
                                          [&] {
                                            fit_sphere({some.data(), 4});
                                          },
                                          [&] {
                                            fit_cylinder({some.data(), 5});
                                          }}) {
    EXPECT_NE(testing::refusal_of<FitRefused>(call).find("needs at least"), std::string::npos);
  }
}

TEST(FeatureFit, RefusesPointsThatDoNotCarryAPlane) {
  Noise noise(32);
  const PointList line = testing::on_line({{1, 2, 3}, axis}, 20, 50, 0, noise);
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              fit_plane(line, {0, 0, 1});
            }).substr(0, 51),
            "plane: the points lie on a line or a strip (width t");
  const PointList strip = testing::on_plane({{1, 2, 3}, axis}, 20, 0.19, 50, 0, noise);
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              fit_plane(strip, {0, 0, 1});
            }).find("or a strip"),
            std::string::npos);
  const PointList cloud = testing::on_plane({{1, 2, 3}, axis}, 20, 20, 50, 5, noise);
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              fit_plane(cloud, {0, 0, 1});
            }).find("are no plane"),
            std::string::npos);
  // Four corners that disagree by 2 mm of 10: one degree of freedom does not determine the tilt.
  const PointList few{{0, 0, 0.5}, {10, 10, 0.5}, {10, 0, -0.5}, {0, 10, -0.5}};
  EXPECT_EQ(
      testing::refusal_of<FitRefused>([&] {
        fit_plane(few, {0, 0, 1});
      }),
      "plane: 4 points with 1 mm of scatter leave its tilt uncertain by 0.1 rad (allowed 0.05): measure more "
      "points, farther apart");
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              fit_plane(grid({1, 0, 0}, {0, 1, 0}), {1, 0, 0});
            }).find("perpendicular"),
            std::string::npos);
}

TEST(FeatureFit, RefusesPointsThatDoNotCarryALine) {
  EXPECT_NE(testing::refusal_of<FitRefused>([] {
              fit_line(grid({1, 0, 0}, {0, 0.5, 0}));
            }).find("are no line"),
            std::string::npos);
  const PointList few{{0, 0, 0}, {5, 1.5, 0}, {10, 0, 0}};
  EXPECT_NE(testing::refusal_of<FitRefused>([&] { fit_line(few); }).find("direction uncertain by"),
            std::string::npos);
}

TEST(FeatureFit, RefusesCurvesThatThePointsDoNotShow) {
  Noise noise(33);
  const Eigen::Vector3d c(1, 2, 3), up(0, 0, 1);
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              fit_circle(testing::on_line({c, axis}, 5, 20, 0, noise));
            }),
            "circle: the 20 points lie on a line: measure points all round");
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              fit_circle(testing::on_line({c, axis}, 5, 20, 0, noise), up);
            }),
            "circle: seen along its normal the 20 points lie on a line: measure points all round");
  EXPECT_EQ(testing::refusal_of<FitRefused>([&] {
              fit_sphere(grid({1, 0, 0}, {0, 1, 0}));
            }),
            "sphere: the 49 points lie in a plane or on a line: measure the cap over its whole height");
  // 0.05 rad of a sphere of 19 mm is 24 um high: 10 um of noise leave its radius undetermined.
  const std::string cap = testing::refusal_of<FitRefused>([&] {
    fit_sphere(testing::on_sphere({c, 19}, axis, 0.05, 100, 0.01, noise));
  });
  EXPECT_NE(cap.find("sphere: cap too small for its scatter of 0.0"), std::string::npos) << cap;
  EXPECT_NE(cap.find("measure a larger cap, or more points"), std::string::npos) << cap;
  const std::string arc = testing::refusal_of<FitRefused>([&] {
    fit_circle(testing::on_circle({c, axis, 8}, 0.1, 50, 0.01, noise));
  });
  EXPECT_TRUE(arc.find("arc too small") != std::string::npos || arc.find("larger arc") != std::string::npos)
      << arc;
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              fit_sphere(testing::on_sphere({c, 8}, axis, 3, 200, 3, noise));
            }).find("belong to another shape"),
            std::string::npos);
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              fit_cylinder(grid({1, 0, 0}, {0, 1, 0}), up);
            }).find("cylinder: "),
            std::string::npos);
  // A ring of 0.2 mm height does not determine a cylinder's direction with 50 um of noise.
  const std::string ring = testing::refusal_of<FitRefused>([&] {
    fit_cylinder(testing::on_cylinder({c, axis, 8}, 0.1, 6, 20, 0.05, noise), axis);
  });
  EXPECT_NE(ring.find("uncertain by"), std::string::npos) << ring;
}

// A fit is equivariant: a refusal or start that depended on the points' position would fail here.
TEST(FeatureFit, MovesWithItsPoints) {
  Noise noise(34);
  const Eigen::Vector3d c(1, 2, 3), shift(900, -700, 400);
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(2.1, Eigen::Vector3d(1, 2, -2).normalized()).toRotationMatrix();
  const PointList here = testing::on_cylinder({c, axis, 8}, 10, 2, 60, 0.02, noise);
  PointList there;
  for (const auto& p : here) there.push_back(turn * p + shift);
  const auto a = fit_cylinder(here), b = fit_cylinder(there);
  // 1000 mm are rounded by 1.1e-13; the fit's condition (2 rad of a cylinder) multiplies it by a few tens.
  EXPECT_NEAR(a.feature.radius_mm, b.feature.radius_mm, 1e-11);
  EXPECT_LT((turn * a.feature.point_mm + shift - b.feature.point_mm).norm(), 1e-11);
  EXPECT_NEAR(std::abs((turn * a.feature.direction).dot(b.feature.direction)), 1, 1e-14);
}

}  // namespace
}  // namespace datum::refusal_test
