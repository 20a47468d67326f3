#include "calib/stage.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <random>

namespace datum::stage_test {
namespace {

// The squareness of the thesis' machine (daemon/inspection/METROLOGY.md, finding 5).
constexpr double thesis_rad = 8.073e-4;

// A product and a sum or two of lengths up to 1000 mm: below 1e-12 mm.
constexpr double rounding_mm = 1e-12;

Htm<Machine, Sensor> mounting() {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, -2, 3).normalized()).toRotationMatrix();
  m.topRightCorner<3, 1>() << 120, -30, 410;
  return Htm<Machine, Sensor>(m);
}

TEST(Stage, ThesisSquarenessIs81UmOver100Mm) {
  const StageModel stage{stage_matrix({thesis_rad, 0, 0}, {0, 0, 0}), {0, 0, 0}};
  const Eigen::Vector3d moved = corrected_position(stage, {0, 100, 0});
  EXPECT_NEAR(moved.x(), -0.08073, rounding_mm);  // towards -x: the angle between X and Y is above 90 degrees
  EXPECT_NEAR(moved.y(), 100, rounding_mm);
  const double angle = std::acos(stage.a.col(0).normalized().dot(stage.a.col(1).normalized()));
  // The angle is 90 degrees + atan(s), and s - atan(s) = s^3 / 3 = 1.8e-10.
  EXPECT_NEAR(angle - std::acos(0.0), thesis_rad, 2e-10);
}

TEST(Stage, EachSquarenessAndScaleHasItsPlaceInA) {
  Eigen::Matrix3d expected;
  expected << 1 + 10e-6, -1e-4 * (1 + 20e-6), -2e-4 * (1 - 30e-6), 0, 1 + 20e-6, -3e-4 * (1 - 30e-6), 0, 0,
      1 - 30e-6;
  EXPECT_LT((stage_matrix({1e-4, 2e-4, 3e-4}, {10, 20, -30}) - expected).cwiseAbs().maxCoeff(), 1e-16);
}

// The bar's true length between two readings is |A (b - a)|: readings computed for a bar of 100 mm must
// return the squareness. The formula neglects s^3 / 4: 1.3e-10 rad here.
TEST(Stage, DiagonalsOfABallBarGiveTheSquarenessWithItsSign) {
  for (const double s : {thesis_rad, -thesis_rad}) {
    const Eigen::Matrix3d a = stage_matrix({s, 0, 0}, {0, 0, 0});
    const auto shown = [&](double y) {
      const Eigen::Vector3d along = Eigen::Vector3d(1, y, 0).normalized();
      return 100 / (a * along).norm();
    };
    EXPECT_NEAR(squareness_from_diagonals(shown(1), shown(-1)), s, 2e-10);
  }
  EXPECT_GT(squareness_from_diagonals(100.04, 99.96), 0);  // the longer reading where Y leans away from it
  EXPECT_THROW(squareness_from_diagonals(100, 150), CalibrationError);
  EXPECT_THROW(squareness_from_diagonals(-100, -100), CalibrationError);
}

TEST(Stage, MovesThePointByAqAndNotByQ) {
  const StageModel stage{stage_matrix({thesis_rad, -2e-4, 3e-4}, {100, 0, -50}), {10, 20, 5}};
  const Eigen::Vector3d point(3, -4, 12), q(110, -80, 35);
  const Htm<Machine, Sensor> h = mounting();
  const Eigen::Vector3d expected = h.rotation() * point + h.translation_mm() + stage.a * (q - stage.q_cal_mm);
  EXPECT_LT((at_stage(h, stage, q) * point - expected).norm(), rounding_mm);
  EXPECT_LT((at_stage(h, stage, stage.q_cal_mm) * point - h * point).norm(), rounding_mm);
}

TEST(Stage, CovarianceOfOneSourceAtATimeIsItsShift) {
  const StageModel stage{stage_matrix({0, 0, 0}, {0, 0, 0}), {0, 0, 0}};
  const Eigen::Vector3d q(100, 200, 300);
  const auto sigma_um = [&](const StageUncertainty& u) -> Eigen::Vector3d {
    return motion_covariance(stage, u, q).diagonal().cwiseSqrt() * 1000;
  };
  StageUncertainty u;
  u.squareness_rad = {1e-5, 0, 0};  // 1e-5 * 200 mm in x
  EXPECT_LT((sigma_um(u) - Eigen::Vector3d(2, 0, 0)).norm(), 1e-9);
  u.squareness_rad = {0, 1e-5, 0};
  EXPECT_LT((sigma_um(u) - Eigen::Vector3d(3, 0, 0)).norm(), 1e-9);
  u.squareness_rad = {0, 0, 1e-5};
  EXPECT_LT((sigma_um(u) - Eigen::Vector3d(0, 3, 0)).norm(), 1e-9);
  u.squareness_rad.setZero();
  u.scale_ppm = {10, 10, 10};
  EXPECT_LT((sigma_um(u) - Eigen::Vector3d(1, 2, 3)).norm(), 1e-9);
  u.scale_ppm.setZero();
  u.position_um = {1, 2, 0};  // two readings: sqrt(2)
  EXPECT_LT((sigma_um(u) - std::sqrt(2.0) * Eigen::Vector3d(1, 2, 0)).norm(), 1e-9);
}

// All sources sampled 20000 times. The ratio of an estimated to a true standard deviation has a standard
// deviation of 1 / sqrt(2 n) = 0.5 %: 3 % is six times that. The linear covariance itself errs by 1e-3 at
// these sizes.
TEST(Stage, CovarianceAgreesWithSimulation) {
  const Eigen::Vector3d s(thesis_rad, -4e-4, 2e-4), k(50, -20, 10), q(150, -220, 90);
  const StageModel stage{stage_matrix(s, k), {20, 30, -10}};
  const StageUncertainty u{{2e-5, 1e-5, 3e-5}, {5, 8, 3}, {1, 2, 0.5}};
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  const auto draw = [&](const Eigen::Vector3d& mean, const Eigen::Vector3d& sigma) -> Eigen::Vector3d {
    return mean + sigma.cwiseProduct(Eigen::Vector3d(normal(random), normal(random), normal(random)));
  };
  constexpr int n = 20000;
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  const Eigen::Vector3d expected = stage.a * (q - stage.q_cal_mm);
  for (int i = 0; i < n; ++i) {
    const StageModel drawn{stage_matrix(draw(s, u.squareness_rad), draw(k, u.scale_ppm)),
                           draw(stage.q_cal_mm, u.position_um / 1000)};
    const Eigen::Vector3d error = drawn.a * (draw(q, u.position_um / 1000) - drawn.q_cal_mm) - expected;
    sum += error * error.transpose();
  }
  const Eigen::Matrix3d c = motion_covariance(stage, u, q);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::sqrt(sum(i, i) / n / c(i, i)), 1, 0.03) << "axis " << i;
}

TEST(Stage, EstimateKeepsTheRotationsCovarianceAndAddsTheMotions) {
  HtmEstimate<Machine, Sensor> h{mounting(), Matrix6d::Identity() * 1e-6};
  const StageModel stage{stage_matrix({thesis_rad, 0, 0}, {0, 0, 0}), {0, 0, 0}};
  const StageUncertainty u{{1e-5, 0, 0}, {0, 0, 0}, {1, 1, 1}};
  const Eigen::Vector3d q(0, 100, 0), point(5, 6, 7);
  const auto moved = at_stage(h, stage, u, q);
  EXPECT_EQ(moved.htm.matrix(), at_stage(h.htm, stage, q).matrix());
  const Eigen::Matrix3d grown = point_covariance(moved, point) - point_covariance(h, point);
  EXPECT_LT((grown - motion_covariance(stage, u, q)).cwiseAbs().maxCoeff(), 1e-18);
}

}  // namespace
}  // namespace datum::stage_test
