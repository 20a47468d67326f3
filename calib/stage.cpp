#include "calib/stage.h"

#include <cmath>
#include <cstdio>

namespace datum {

namespace {

// (row, column) of s_xy, s_xz, s_yz in A.
constexpr int squareness_at[3][2] = {{0, 1}, {0, 2}, {1, 2}};

Eigen::Matrix3d shear(const Eigen::Vector3d& squareness_rad) {
  Eigen::Matrix3d s = Eigen::Matrix3d::Identity();
  for (int i = 0; i < 3; ++i) s(squareness_at[i][0], squareness_at[i][1]) = -squareness_rad[i];
  return s;
}

}  // namespace

Eigen::Matrix3d stage_matrix(const Eigen::Vector3d& squareness_rad, const Eigen::Vector3d& scale_ppm) {
  return shear(squareness_rad) * (Eigen::Vector3d::Ones() + scale_ppm * 1e-6).asDiagonal();
}

double squareness_from_diagonals(double plus_mm, double minus_mm) {
  const double s = 2 * (plus_mm - minus_mm) / (plus_mm + minus_mm);
  if (plus_mm > 0 && minus_mm > 0 && std::abs(s) < 0.1) return s;
  char text[160];
  std::snprintf(
      text, sizeof text,
      "the diagonals %g mm and %g mm are not of one ball bar: allowed are lengths above 0 that differ by "
      "less than 10 %%",
      plus_mm, minus_mm);
  throw CalibrationError(text);
}

Htm<Machine, Sensor> at_stage(const Htm<Machine, Sensor>& at_calibration, const StageModel& stage,
                              const Eigen::Vector3d& q_mm) {
  Eigen::Matrix4d moved = at_calibration.matrix();
  moved.topRightCorner<3, 1>() += stage.a * (q_mm - stage.q_cal_mm);
  return Htm<Machine, Sensor>(moved);
}

// A v = S D v with S the shear and D the scales. d/ds_ij: minus the scaled v_j in row i. d/dk_j: S's column j
// times v_j. d/dq: A, twice, for the readings at q and at q_cal.
Eigen::Matrix3d motion_covariance(const StageModel& stage, const StageUncertainty& u,
                                  const Eigen::Vector3d& q_mm) {
  const Eigen::Vector3d v = q_mm - stage.q_cal_mm;
  Eigen::Matrix3d c = Eigen::Matrix3d::Zero();
  for (int i = 0; i < 3; ++i) {
    const int row = squareness_at[i][0], column = squareness_at[i][1];
    const double shift_mm = stage.a(column, column) * v[column] * u.squareness_rad[i];
    c(row, row) += shift_mm * shift_mm;
    const Eigen::Vector3d stretch = stage.a.col(i) / stage.a(i, i) * v[i] * (u.scale_ppm[i] * 1e-6);
    c += stretch * stretch.transpose();
  }
  const Eigen::Vector3d reading_mm = u.position_um / 1000;
  return c + 2 * stage.a * reading_mm.cwiseAbs2().asDiagonal() * stage.a.transpose();
}

HtmEstimate<Machine, Sensor> at_stage(const HtmEstimate<Machine, Sensor>& at_calibration,
                                      const StageModel& stage, const StageUncertainty& u,
                                      const Eigen::Vector3d& q_mm) {
  HtmEstimate<Machine, Sensor> moved{at_stage(at_calibration.htm, stage, q_mm), at_calibration.covariance};
  moved.covariance.bottomRightCorner<3, 3>() += motion_covariance(stage, u, q_mm);
  return moved;
}

Eigen::Vector3d corrected_position(const StageModel& stage, const Eigen::Vector3d& q_mm) {
  return stage.a * q_mm;
}

}  // namespace datum
