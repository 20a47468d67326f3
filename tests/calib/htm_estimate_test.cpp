#include "calib/htm_estimate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace datum {
namespace {

struct A;
struct B;
struct C;

template <class To, class From>
Htm<To, From> motion(const Eigen::Vector3d& w, const Eigen::Vector3d& t) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation_from_vector(w);
  m.topRightCorner<3, 1>() = t;
  return Htm<To, From>(m);
}

const auto a_from_b = motion<A, B>({0.4, -0.7, 1.1}, {12, -34, 50});
const auto b_from_c = motion<B, C>({-0.2, 0.9, 0.3}, {-7, 18, 25});

/// A covariance without symmetry: G G^T with columns of rotation (rad) and translation (mm) parts.
Matrix6d some_covariance(double phase) {
  Matrix6d g;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) g(i, j) = (i < 3 ? 1e-4 : 1e-2) * std::sin(phase + 1.7 * i + 0.9 * j * i + j);
  return g * g.transpose();
}

/// Covariance of `parameters_of` over six small parameters, by central differences. Its own error is of
/// second order: steps of 1e-5 leave 1e-10 of the coordinates.
template <class Call>
Matrix6d numerical(const Matrix6d& covariance, Call parameters_of) {
  constexpr double step = 1e-5;
  Matrix6d j;
  for (int i = 0; i < 6; ++i) {
    const Vector6d e = step * Vector6d::Unit(i);
    j.col(i) = (parameters_of(e) - parameters_of(Vector6d(-e))) / (2 * step);
  }
  return j * covariance * j.transpose();
}

// Central differences are accurate to 1e-9 of the largest element (0.1 mm^2 here).
void expect_same(const Matrix6d& a, const Matrix6d& b) {
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-8 * b.cwiseAbs().maxCoeff()) << a << "\n\n" << b;
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(a(i, i) / b(i, i), 1, 1e-6) << i;
}

TEST(HtmEstimate, RotationVectorGoesThereAndBack) {
  EXPECT_EQ(rotation_from_vector(Eigen::Vector3d::Zero()), Eigen::Matrix3d::Identity());
  EXPECT_EQ(vector_from_rotation(Eigen::Matrix3d::Identity()), Eigen::Vector3d::Zero());
  for (double angle : {1e-12, 1e-7, 1e-3, 1.0, 3.0, std::numbers::pi - 1e-6}) {
    const Eigen::Vector3d w = angle * Eigen::Vector3d(2, -3, 6) / 7;
    // A quaternion's elements are rounded by 1e-16; near pi and at 0 that is the angle's own error.
    EXPECT_LT((vector_from_rotation(rotation_from_vector(w)) - w).norm(), 1e-15 + 1e-14 * angle) << angle;
  }
  const Eigen::Vector3d quarter =
      vector_from_rotation((Eigen::Matrix3d() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished());
  EXPECT_LT((quarter - Eigen::Vector3d(0, 0, std::numbers::pi / 2)).norm(), 1e-15) << "x to y turns about +z";
}

TEST(HtmEstimate, DifferenceLeadsFromTheSecondToTheFirst) {
  const Vector6d step = (Vector6d() << 0.01, -0.02, 0.03, 1, 2, -3).finished();
  const auto moved = corrected(a_from_b, step);
  EXPECT_LT((difference(moved, a_from_b) - step).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((corrected(a_from_b, difference(moved, a_from_b)).matrix() - moved.matrix()).norm(), 1e-13);
  const Eigen::Vector3d p(3, 4, 5), turned = a_from_b.rotation() * p;
  const Eigen::Vector3d w = 1e-6 * Eigen::Vector3d(1, 2, 3);  // its square is below 1e-10 mm here
  const Vector6d small = (Vector6d() << w, 0, 0, 0).finished();
  EXPECT_LT((corrected(a_from_b, small) * p - (a_from_b * p + w.cross(turned))).norm(), 1e-9);
}

TEST(HtmEstimate, CompositionCarriesBothCovariances) {
  const HtmEstimate<A, B> left{a_from_b, some_covariance(0.3)};
  const HtmEstimate<B, C> right{b_from_c, some_covariance(1.9)};
  const HtmEstimate<A, C> product = left * right;
  EXPECT_LT((product.htm.matrix() - (a_from_b * b_from_c).matrix()).norm(), 1e-15);
  const Htm<A, C> truth = a_from_b * b_from_c;
  const Matrix6d by_left = numerical(left.covariance, [&](const Vector6d& e) {
    return difference(corrected(a_from_b, e) * b_from_c, truth);
  });
  const Matrix6d by_right = numerical(right.covariance, [&](const Vector6d& e) {
    return difference(a_from_b * corrected(b_from_c, e), truth);
  });
  expect_same(product.covariance, by_left + by_right);
}

TEST(HtmEstimate, InverseCarriesItsCovariance) {
  const HtmEstimate<A, B> estimate{a_from_b, some_covariance(0.3)};
  const Htm<B, A> truth = a_from_b.inverse();
  expect_same(inverse(estimate).covariance, numerical(estimate.covariance, [&](const Vector6d& e) {
                return difference(corrected(a_from_b, e).inverse(), truth);
              }));
  expect_same(inverse(inverse(estimate)).covariance, estimate.covariance);
}

TEST(HtmEstimate, APointGetsItsCovarianceByItsPlace) {
  HtmEstimate<A, B> estimate{a_from_b, Matrix6d::Zero()};
  estimate.covariance(2, 2) = 1e-4 * 1e-4;  // 0.1 mrad about A's z
  estimate.covariance(5, 5) = 0.002 * 0.002;
  const Eigen::Vector3d p(100, 20, -30), arm = a_from_b.rotation() * p;
  const Eigen::Matrix3d c = point_covariance(estimate, p);
  EXPECT_NEAR(std::sqrt(c(0, 0)), 1e-4 * std::abs(arm.y()), 1e-15);
  EXPECT_NEAR(std::sqrt(c(1, 1)), 1e-4 * std::abs(arm.x()), 1e-15);
  EXPECT_NEAR(c(0, 1), -1e-8 * arm.x() * arm.y(), 1e-18);
  EXPECT_NEAR(std::sqrt(c(2, 2)), 0.002, 1e-15);
  // A rotation by w about z correlated with a shift of w * 10 mm along x: they add up to w (10 - arm.y).
  estimate.covariance(2, 3) = estimate.covariance(3, 2) = 1e-8 * 10;
  estimate.covariance(3, 3) = 1e-8 * 100;
  EXPECT_NEAR(point_covariance(estimate, p)(0, 0), 1e-8 * std::pow(10 - arm.y(), 2), 1e-18);
}

}  // namespace
}  // namespace datum
