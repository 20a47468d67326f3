// The stage that carries the sensor (METROLOGY E5): p_machine = R p_sensor + T0 + A q.
//
// q is what the stage's scales read in mm, A what its motion really is: the machine's coordinates are
// orthogonal and true, its axes need not be. X gives the direction of x, the plane of X and Y the xy plane.
#pragma once

#include <Eigen/Core>

#include "calib/htm_estimate.h"

namespace datum {

/// A = [1 -s_xy -s_xz; 0 1 -s_yz; 0 0 1] * diag(1 + k). A squareness s > 0 in rad says that the angle between
/// the positive directions of its two axes is 90 degrees + s: Y leans towards -x by s_xy.
struct StageModel {
  Eigen::Matrix3d a = Eigen::Matrix3d::Identity();
  Eigen::Vector3d q_cal_mm = Eigen::Vector3d::Zero();  // where the calibration was made
};

/// A of squareness (xy, xz, yz) in rad and of scale errors k (x, y, z) in parts per million.
Eigen::Matrix3d stage_matrix(const Eigen::Vector3d& squareness_rad, const Eigen::Vector3d& scale_ppm);

/// Squareness of two axes, in rad, of a ball bar of one length laid along both diagonals of their plane:
/// `plus` lies along (1, 1), `minus` along (1, -1), each as the distance in mm that the scales show.
///
/// A length l read along (1, +-1)/sqrt(2) truly is l sqrt(((1 -+ s)^2 + 1) / 2) = l (1 -+ s/2) to first order
/// in s, and both are the bar's: s = 2 (plus - minus) / (plus + minus). The order left out is s^3. Throws
/// CalibrationError for lengths that are not positive or contradict one bar by more than 10 %.
double squareness_from_diagonals(double plus_mm, double minus_mm);

/// Standard uncertainties of what A and q are made of.
struct StageUncertainty {
  Eigen::Vector3d squareness_rad = Eigen::Vector3d::Zero();  // xy, xz, yz
  Eigen::Vector3d scale_ppm = Eigen::Vector3d::Zero();
  Eigen::Vector3d position_um = Eigen::Vector3d::Zero();  // of one reading of each scale at rest
};

/// The transform with the stage at q_mm: T = T(q_cal) + A (q - q_cal).
Htm<Machine, Sensor> at_stage(const Htm<Machine, Sensor>& at_calibration, const StageModel& stage,
                              const Eigen::Vector3d& q_mm);

/// Covariance in mm^2 of A (q - q_cal): A's six parameters times the way gone, and one reading of q at each
/// end.
Eigen::Matrix3d motion_covariance(const StageModel& stage, const StageUncertainty& u,
                                  const Eigen::Vector3d& q_mm);

/// at_stage with its covariance: the calibration's, enlarged by motion_covariance. At q_cal itself nothing
/// has moved, but the stage may have left and come back: the readings' part stays.
HtmEstimate<Machine, Sensor> at_stage(const HtmEstimate<Machine, Sensor>& at_calibration,
                                      const StageModel& stage, const StageUncertainty& u,
                                      const Eigen::Vector3d& q_mm);

/// A q: where a reading of the scales truly is. Touches of a machine that does not correct itself go through
/// it before they meet a scan, or the squareness stays in the calibration.
Eigen::Vector3d corrected_position(const StageModel& stage, const Eigen::Vector3d& q_mm);

}  // namespace datum
