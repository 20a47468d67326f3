// One feature's share in a fit to the model: normal equations, determined directions, and the resulting step.
#pragma once

#include "calib/registration/model_fit.h"

namespace datum::model_fit {

/// Movements are (w * arm, d) in mm about the center: a point p moves by d + w x (p - center).
struct Lever {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double arm_mm = 1;  // rms distance of samples from the center
};
Lever lever_of(const std::vector<ModelSample>& samples);

/// Sums over the samples, in their order, divided by the sum of weights.
struct Equations {
  Matrix6d normal = Matrix6d::Zero();
  Vector6d pull = Vector6d::Zero();
  Matrix6d slopes = Matrix6d::Zero();  // of apparent movements by wrong normals, per rad
  /// Sum of each group's contribution times itself, enlarged for few groups.
  Matrix6d scatter = Matrix6d::Zero();
  std::size_t samples = 0, groups = 0;
  double rms_mm = 0;
};
Equations equations_of(const std::vector<ModelSample>& samples, const Lever& lever);

/// The determined directions among the free ones (orthonormal columns), and the inverse of the normal matrix
/// on them.
struct Told {
  Eigen::Matrix<double, 6, Eigen::Dynamic> directions, left;  // determined, and still free
  Matrix6d inverse = Matrix6d::Zero();
  double condition = 0;
};
Told told_by(const Equations& e, const Eigen::Matrix<double, 6, Eigen::Dynamic>& free, double slope_rad);

/// Groups that deviate from a feature after its fit.
OffDatum off_datum(const std::vector<ModelSample>& samples, const Lever& lever,
                   const Eigen::Matrix<double, 6, Eigen::Dynamic>& free, double slope_rad);

/// The exactly rigid motion of a movement.
Eigen::Matrix4d motion_of(const Lever& lever, const Vector6d& movement_mm);
/// d(w in rad, d in mm, as HtmEstimate counts them: beside the translation) / d(movement).
Matrix6d as_estimate(const Lever& lever, const Eigen::Vector3d& translation_mm);

/// "turn about (0, 0, 1) through (12, 3, 0) mm", "shift along (1, 0, 0)": a movement by its dominant part.
std::string words_of(const Lever& lever, const Vector6d& movement_mm);

}  // namespace datum::model_fit
