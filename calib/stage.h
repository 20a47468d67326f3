// The stage that carries the sensor (daemon/inspection/METROLOGY.md, E5): p_machine = R p_sensor + T0 + A q.
//
// q is the reading of the stage's scales in mm and A q its true motion: machine coordinates are orthogonal,
// the stage's axes need not be. X gives the direction of x, the plane of X and Y the xy plane.
#pragma once

#include <Eigen/Core>

#include "calib/htm_estimate.h"

namespace datum {

/// A = [1 -s_xy -s_xz; 0 1 -s_yz; 0 0 1] * diag(1 + k). A squareness s > 0 in rad means that the angle
/// between the positive directions of its two axes is 90 degrees + s: Y leans towards -x by s_xy.
struct StageModel {
  Eigen::Matrix3d a = Eigen::Matrix3d::Identity();
  Eigen::Vector3d q_cal_mm = Eigen::Vector3d::Zero();  // at calibration
};

/// A from squareness (xy, xz, yz) in rad and scale errors k (x, y, z) in parts per million.
Eigen::Matrix3d stage_matrix(const Eigen::Vector3d& squareness_rad, const Eigen::Vector3d& scale_ppm);

/// Squareness of two axes, in rad, from a ball bar laid along both diagonals of their plane: `plus` along (1,
/// 1), `minus` along (1, -1), each as the distance in mm read from the scales.
///
/// A length l read along (1, +-1)/sqrt(2) is truly l sqrt(((1 -+ s)^2 + 1) / 2) = l (1 -+ s/2) to first
/// order, and both equal the bar: s = 2 (plus - minus) / (plus + minus). The neglected term is of order s^3.
/// Throws CalibrationError for lengths that are not positive or differ by more than 10 %.
double squareness_from_diagonals(double plus_mm, double minus_mm);

/// Standard uncertainties of A's and q's components.
struct StageUncertainty {
  Eigen::Vector3d squareness_rad = Eigen::Vector3d::Zero();  // xy, xz, yz
  Eigen::Vector3d scale_ppm = Eigen::Vector3d::Zero();
  Eigen::Vector3d position_um = Eigen::Vector3d::Zero();  // of one reading of each scale at rest
};

/// The transform with the stage at q_mm: T = T(q_cal) + A (q - q_cal).
Htm<Machine, Sensor> at_stage(const Htm<Machine, Sensor>& at_calibration, const StageModel& stage,
                              const Eigen::Vector3d& q_mm);

/// Covariance in mm^2 of A (q - q_cal): A's six parameters times the distance, and one reading of q at each
/// end.
Eigen::Matrix3d motion_covariance(const StageModel& stage, const StageUncertainty& u,
                                  const Eigen::Vector3d& q_mm);

/// at_stage with its covariance: the calibration's, enlarged by motion_covariance. At q_cal the readings'
/// part remains, because the stage may have left and returned.
HtmEstimate<Machine, Sensor> at_stage(const HtmEstimate<Machine, Sensor>& at_calibration,
                                      const StageModel& stage, const StageUncertainty& u,
                                      const Eigen::Vector3d& q_mm);

/// A q: true position of a scale reading. Touches of a machine that does not correct itself need it before
/// they are compared with a scan, or the squareness enters the calibration.
Eigen::Vector3d corrected_position(const StageModel& stage, const Eigen::Vector3d& q_mm);

}  // namespace datum
