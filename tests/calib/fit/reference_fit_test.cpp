// Fits against published values and against an independent solver in 113-bit arithmetic.
#include <gtest/gtest.h>

#include "tests/calib/fit/fit_points.h"
#include "tests/calib/fit/quad_newton.h"

namespace datum::reference_fit_test {
namespace {

using testing::Jet;
using testing::Noise;
using testing::PointList;

// Limit relative to the feature's size (radius, or extent of the points).
constexpr double relative = 1e-9;

template <int N>
struct Vector {
  Jet<N> x, y, z;
};
template <int N>
Vector<N> minus(const Eigen::Vector3d& p, const Jet<N>& x, const Jet<N>& y, const Jet<N>& z) {
  return {Jet<N>(p.x()) - x, Jet<N>(p.y()) - y, Jet<N>(p.z()) - z};
}
template <int N>
Jet<N> dot(const Vector<N>& a, const Vector<N>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Directions by their slopes: (a, b, 1) without normalisation; the tests' directions have a large z.
template <int N>
Vector<N> slopes(const Jet<N>& a, const Jet<N>& b) {
  return {a, b, Jet<N>(1.0)};
}

Eigen::Vector3d direction(testing::Quad a, testing::Quad b) {
  return Eigen::Vector3d(static_cast<double>(a), static_cast<double>(b), 1).normalized();
}

const Eigen::Vector3d axis = Eigen::Vector3d(0.2, -0.35, 0.9).normalized();
const double slope_x = axis.x() / axis.z(), slope_y = axis.y() / axis.z();

TEST(ReferenceFit, CircleOfGanderGolubStrebel) {
  const PointList points{{1, 7, 0}, {2, 6, 0}, {5, 8, 0}, {7, 7, 0}, {9, 5, 0}, {3, 7, 0}};
  const auto fit = fit_circle(points, {0, 0, 1}, FitLimits::none());
  // Its radius is uncertain by a quarter of itself: an example for solvers, not a measurement.
  EXPECT_THROW(fit_circle(points, {0, 0, 1}), FitRefused);
  // As published, four decimals.
  EXPECT_NEAR(fit.feature.center_mm.x(), 4.7398, 5e-5);
  EXPECT_NEAR(fit.feature.center_mm.y(), 2.9835, 5e-5);
  EXPECT_NEAR(fit.feature.radius_mm, 4.7142, 5e-5);

  const auto sum = [&](const std::array<Jet<3>, 3>& x) {
    Jet<3> f;
    for (const auto& p : points) {
      const Jet<3> u = Jet<3>(p.x()) - x[0], v = Jet<3>(p.y()) - x[1], r = sqrt(u * u + v * v) - x[2];
      f = f + r * r;
    }
    return f;
  };
  const auto truth = testing::lowest<3>(sum, {5, 3, 5}, {3, 3, 3}, 20);
  EXPECT_NEAR(fit.feature.center_mm.x(), double(truth.at[0]), relative * 4.7);
  EXPECT_NEAR(fit.feature.center_mm.y(), double(truth.at[1]), relative * 4.7);
  EXPECT_NEAR(fit.feature.radius_mm, double(truth.at[2]), relative * 4.7);
  EXPECT_NEAR(fit.evidence.rms_mm * fit.evidence.rms_mm * 6, double(truth.value), 1e-12);
}

TEST(ReferenceFit, Plane) {
  Noise noise(1);
  const Plane3 plane{{120, -40, 310}, axis};
  for (const double half_v : {40.0, 2.0}) {
    const PointList points = testing::on_plane(plane, 40, half_v, 60, 0.01, noise);
    const auto sum = [&](const std::array<Jet<3>, 3>& x) {
      const auto n = slopes(x[0], x[1]);
      Jet<3> f;
      for (const auto& p : points) {
        const Jet<3> h = n.x * Jet<3>(p.x()) + n.y * Jet<3>(p.y()) + Jet<3>(p.z()) - x[2];
        f = f + h * h;
      }
      return f * inverse(dot(n, n));
    };
    const double offset = axis.dot(plane.point_mm) / axis.z();
    const auto truth = testing::lowest<3>(sum, {slope_x, slope_y, offset}, {0.3, 0.3, 5}, 8);
    const auto fit = fit_plane(points, {0, 0, 1});
    const Eigen::Vector3d normal = direction(truth.at[0], truth.at[1]);
    EXPECT_LT((fit.feature.normal - normal).norm(), relative);
    EXPECT_NEAR(fit.feature.normal.dot(fit.feature.point_mm), double(truth.at[2]) * normal.z(),
                relative * 40);
  }
}

TEST(ReferenceFit, Line) {
  Noise noise(2);
  const Line3 line{{120, -40, 310}, axis};
  const PointList points = testing::on_line(line, 30, 50, 0.01, noise);
  const auto sum = [&](const std::array<Jet<4>, 4>& x) {  // through (x2, x3, 310)
    const auto d = slopes(x[0], x[1]);
    Jet<4> f;
    for (const auto& p : points) {
      const auto q = minus<4>(p, x[2], x[3], Jet<4>(310.0));
      const Jet<4> along = dot(q, d);
      f = f + dot(q, q) - along * along * inverse(dot(d, d));
    }
    return f;
  };
  const auto truth = testing::lowest<4>(sum, {slope_x, slope_y, 120, -40}, {0.2, 0.2, 3, 3}, 8);
  const auto fit = fit_line(points);
  EXPECT_LT((fit.feature.direction - direction(truth.at[0], truth.at[1])).norm(), relative);
  const Eigen::Vector3d there(double(truth.at[2]), double(truth.at[3]), 310);
  EXPECT_LT((fit.feature.point_mm - there).cross(fit.feature.direction).norm(), relative * 30);
}

TEST(ReferenceFit, CircleInSpace) {
  Noise noise(3);
  const Circle3 circle{{12, -40, 310}, axis, 8};
  for (const double arc : {2 * std::numbers::pi, 1.2}) {
    for (const double sigma : {0.005, 0.1}) {
      const PointList points = testing::on_circle(circle, arc, 24, sigma, noise);
      const auto sum = [&](const std::array<Jet<6>, 6>& x) {
        const auto n = slopes(x[3], x[4]);
        const Jet<6> per_n = inverse(dot(n, n));
        Jet<6> f;
        for (const auto& p : points) {
          const auto q = minus<6>(p, x[0], x[1], x[2]);
          const Jet<6> h = dot(q, n), h2 = h * h * per_n, r = sqrt(dot(q, q) - h2) - x[5];
          f = f + h2 + r * r;
        }
        return f;
      };
      const auto truth =
          testing::lowest<6>(sum, {12, -40, 310, slope_x, slope_y, 8}, {0.5, 0.5, 0.5, 0.1, 0.1, 0.5}, 3);
      const auto fit = fit_circle(points, FitLimits::none());
      const Eigen::Vector3d center{double(truth.at[0]), double(truth.at[1]), double(truth.at[2])};
      EXPECT_LT((fit.feature.center_mm - center).norm(), relative * 8) << arc << " " << sigma;
      EXPECT_LT((fit.feature.normal - direction(truth.at[3], truth.at[4])).norm(), relative);
      EXPECT_NEAR(fit.feature.radius_mm, double(truth.at[5]), relative * 8);
    }
  }
}

TEST(ReferenceFit, Sphere) {
  Noise noise(4);
  const Sphere sphere{{120, -40, 310}, 19.068};
  for (const double angle : {3.1, 1.0, 0.25}) {
    for (const double sigma : {0.001, 0.01}) {
      const PointList points = testing::on_sphere(sphere, axis, angle, 60, sigma, noise);
      const auto sum = [&](const std::array<Jet<4>, 4>& x) {
        Jet<4> f;
        for (const auto& p : points) {
          const auto q = minus<4>(p, x[0], x[1], x[2]);
          const Jet<4> r = sqrt(dot(q, q)) - x[3];
          f = f + r * r;
        }
        return f;
      };
      const auto truth = testing::lowest<4>(sum, {120, -40, 310, 19}, {3, 3, 3, 3}, 5);
      const auto fit = fit_sphere(points);
      const Eigen::Vector3d center{double(truth.at[0]), double(truth.at[1]), double(truth.at[2])};
      EXPECT_LT((fit.feature.center_mm - center).norm(), relative * 19) << angle << " " << sigma;
      EXPECT_NEAR(fit.feature.radius_mm, double(truth.at[3]), relative * 19) << angle << " " << sigma;
    }
  }
}

TEST(ReferenceFit, Cylinder) {
  Noise noise(5);
  const Cylinder cylinder{{12, -40, 31}, axis, 8};
  for (const double arc : {2 * std::numbers::pi, 1.8}) {
    const PointList points = testing::on_cylinder(cylinder, 15, arc, 60, 0.01, noise);
    const auto sum = [&](const std::array<Jet<5>, 5>& x) {  // through (x2, x3, 31)
      const auto d = slopes(x[0], x[1]);
      const Jet<5> per_d = inverse(dot(d, d));
      Jet<5> f;
      for (const auto& p : points) {
        const auto q = minus<5>(p, x[2], x[3], Jet<5>(31.0));
        const Jet<5> along = dot(q, d), r = sqrt(dot(q, q) - along * along * per_d) - x[4];
        f = f + r * r;
      }
      return f;
    };
    const auto truth = testing::lowest<5>(sum, {slope_x, slope_y, 12, -40, 8}, {0.1, 0.1, 0.5, 0.5, 0.5}, 3);
    for (const auto& fit : {fit_cylinder(points), fit_cylinder(points, {0, 0, 1})}) {
      EXPECT_LT((fit.feature.direction - direction(truth.at[0], truth.at[1])).norm(), relative) << arc;
      const Eigen::Vector3d there(double(truth.at[2]), double(truth.at[3]), 31);
      EXPECT_LT((fit.feature.point_mm - there).cross(fit.feature.direction).norm(), relative * 15) << arc;
      EXPECT_NEAR(fit.feature.radius_mm, double(truth.at[4]), relative * 8) << arc;
    }
  }
}

}  // namespace
}  // namespace datum::reference_fit_test
