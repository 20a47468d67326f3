// Htm<To, From>: a 4x4 homogeneous transform of coordinates from system From to system To.
//
// The names make composition readable: a_from_c = a_from_b * b_from_c; other orders do not compile. Lengths
// in mm, points are column vectors. Only rigid right-handed motions exist: det(R) = +1, R^T R = I within
// `rigidity_limit`.
#pragma once

#include <Eigen/Core>
#include <stdexcept>

namespace datum {

// The coordinate systems of an inspection cell.
struct Sensor;    // right-handed, after mirroring at ingest
struct Machine;   // the CMM's or stage's
struct Board;     // of the recipe: x, y in the board plane, z up from its upper side
struct Artefact;  // of the calibration artefact's drawing

class CalibrationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Largest permitted deviation of an element of R^T R from the identity in a stored transform. A matrix
/// written with nine decimals satisfies it; a scale error of 1 um over 1 m (1e-6) does not.
inline constexpr double rigidity_limit = 1e-7;

/// Throws CalibrationError with a text for the operator: not finite, last row not 0 0 0 1, mirrored (det <
/// 0), or scaled or skewed beyond rigidity_limit.
void check_rigid(const Eigen::Matrix4d& matrix);

template <class To, class From>
class Htm {
 public:
  Htm() : matrix_(Eigen::Matrix4d::Identity()) {}
  /// Throws CalibrationError unless the matrix is a rigid right-handed motion.
  explicit Htm(const Eigen::Matrix4d& matrix) : matrix_(matrix) { check_rigid(matrix_); }

  const Eigen::Matrix4d& matrix() const { return matrix_; }
  Eigen::Matrix3d rotation() const { return matrix_.topLeftCorner<3, 3>(); }
  Eigen::Vector3d translation_mm() const { return matrix_.topRightCorner<3, 1>(); }

  Eigen::Vector3d operator*(const Eigen::Vector3d& point_mm) const {
    return rotation() * point_mm + translation_mm();
  }
  template <class Source>
  Htm<To, Source> operator*(const Htm<From, Source>& right) const {
    return Htm<To, Source>(Eigen::Matrix4d(matrix_ * right.matrix()));
  }
  Htm<From, To> inverse() const {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner<3, 3>() = rotation().transpose();
    m.topRightCorner<3, 1>() = -(rotation().transpose() * translation_mm());
    return Htm<From, To>(m);
  }

 private:
  Eigen::Matrix4d matrix_;
};

}  // namespace datum
