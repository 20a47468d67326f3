#include "calib/htm.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <concepts>
#include <limits>

#include "tests/refusal.h"

namespace datum::htm_test {
namespace {

struct A;
struct B;
struct C;

// Compositions that must not compile: inner systems that differ, or a transform in place of its inverse.
template <class Left, class Right>
concept Composable = requires(Left l, Right r) {
  l* r;
};
static_assert(Composable<Htm<A, B>, Htm<B, C>>);
static_assert(!Composable<Htm<A, B>, Htm<C, B>>);
static_assert(!Composable<Htm<A, B>, Htm<A, C>>);
static_assert(std::same_as<decltype(Htm<A, B>{} * Htm<B, C>{}), Htm<A, C>>);
static_assert(std::same_as<decltype(Htm<A, B>{}.inverse()), Htm<B, A>>);
static_assert(!std::convertible_to<Htm<A, B>, Htm<B, A>>);
static_assert(!std::constructible_from<Htm<A, B>, Htm<B, A>>);
static_assert(!std::convertible_to<Eigen::Matrix4d, Htm<A, B>>, "a matrix becomes a transform only by name");

// Coordinates are below 1000 mm. One transform is three products and three sums, each rounded by at most
// 1.2e-16 of 3000 mm; a chain of four, including the rotations' rounding, stays below 2e-11 mm.
constexpr double rounding_mm = 2e-11;

/// Intrinsic X-Y'-Z'' (daemon/inspection/METROLOGY.md, E4), then the translation.
Eigen::Matrix4d motion(double rx, double ry, double rz, const Eigen::Vector3d& t) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() =
      (Eigen::AngleAxisd(rx, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(ry, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(rz, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix();
  m.topRightCorner<3, 1>() = t;
  return m;
}

const Eigen::Matrix4d some = motion(0.3, -0.8, 1.9, {120.5, -340.25, 77});
const Eigen::Matrix4d other = motion(-1.1, 0.4, 0.2, {-5, 18, 250});
const Eigen::Vector3d point(31.5, -12.25, 604);

std::string refusal_of(const Eigen::Matrix4d& matrix) {
  return testing::refusal_of<CalibrationError>([&] { Htm<A, B>{matrix}; });
}

TEST(Htm, ComposesAsItReads) {
  const Htm<A, B> a_from_b(some);
  const Htm<B, C> b_from_c(other);
  const Htm<A, C> a_from_c = a_from_b * b_from_c;
  EXPECT_LT((a_from_c * point - a_from_b * (b_from_c * point)).norm(), rounding_mm);
  // Not in the other order: these two motions do not commute.
  EXPECT_GT((a_from_c * point - Htm<A, C>(Eigen::Matrix4d(other * some)) * point).norm(), 1);
}

TEST(Htm, InverseTakesAPointBack) {
  const Htm<A, B> a_from_b(some);
  EXPECT_LT((a_from_b.inverse() * (a_from_b * point) - point).norm(), rounding_mm);
  const Htm<A, A> round_trip = a_from_b * a_from_b.inverse();
  EXPECT_LT((round_trip.matrix() - Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff(), rounding_mm);
}

TEST(Htm, RefusesWhatIsNoRigidRightHandedMotion) {
  Eigen::Matrix4d m = some;
  m(1, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal_of(m), "the matrix has an element that is not finite");
  m = some;
  m(3, 0) = 1e-3;
  EXPECT_EQ(refusal_of(m), "the last row of the matrix must be 0 0 0 1");
  m = some;
  m.col(0) *= -1;
  m(3, 0) = 0;
  EXPECT_EQ(refusal_of(m), "the rotation is mirrored (determinant below 0)");
  m = Eigen::Matrix4d::Identity();
  m(0, 0) = 1.001;
  EXPECT_EQ(refusal_of(m),
            "the rotation is scaled or skewed: R^T R differs from the identity by 0.002, allowed is 1e-07; "
            "write the "
            "matrix with at least 9 decimals");
  m = Eigen::Matrix4d::Identity();
  m(0, 1) = 2e-4;  // skewed: 0.2 um over 1 mm
  EXPECT_EQ(refusal_of(m).substr(0, 41), "the rotation is scaled or skewed: R^T R d");
}

TEST(Htm, AcceptsAMatrixWrittenWithNineDecimals) {
  const Eigen::Matrix4d written = (some * 1e9).array().round().matrix() / 1e9;
  EXPECT_EQ(refusal_of(written), "(accepted)");
  const Eigen::Matrix4d coarse = (some * 1e5).array().round().matrix() / 1e5;
  EXPECT_NE(refusal_of(coarse), "(accepted)");
}

// METROLOGY.md, E3: with F = diag(-1,1,1,1), a calibration in left-handed coordinates on both sides is X = F
// H F. The transform of right-handed coordinates is H = F X F; raw left-handed points need F X.
TEST(Htm, LeftHandedCalibrationIsMirroredOnBothSides) {
  const Eigen::Matrix4d f = Eigen::Vector4d(-1, 1, 1, 1).asDiagonal();
  const Htm<Machine, Sensor> h(some);
  const Eigen::Matrix4d x = f * h.matrix() * f;
  const Htm<Machine, Sensor> back(Eigen::Matrix4d(f * x * f));
  EXPECT_LT((back.matrix() - h.matrix()).cwiseAbs().maxCoeff(), rounding_mm);

  const Eigen::Vector3d raw_left(-point.x(), point.y(), point.z());
  const Eigen::Vector3d through_fx = (f * x * raw_left.homogeneous()).head<3>();
  EXPECT_LT((h * point - through_fx).norm(), rounding_mm);

  // X is also a rigid motion, so no check of the matrix detects it: used as H it is wrong by hundreds of mm
  // here.
  EXPECT_GT((Htm<Machine, Sensor>(x) * point - h * point).norm(), 100);
  // Mirrored on one side only, it is refused.
  EXPECT_EQ(refusal_of(f * x).substr(0, 24), "the rotation is mirrored");
}

}  // namespace
}  // namespace datum::htm_test
