// A measured transform and its uncertainty: Htm<To, From> with the covariance of its six parameters.
//
// The parameters are (w, d): a rotation vector w in rad and a shift d in mm, both along the axes of To. They
// lead from the estimate to the true transform by multiplication from the left: R = exp([w]x) R_est, T =
// T_est + d. All propagation is of first order in them (GUM 5.1).
#pragma once

#include <Eigen/Core>

#include "calib/htm.h"

namespace datum {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// [v]x, with [v]x a = v x a.
Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& v);

/// exp([w]x): rotation by |w| rad about w.
Eigen::Matrix3d rotation_from_vector(const Eigen::Vector3d& w_rad);

/// The shortest w in rad with exp([w]x) = R; |w| <= pi. R must be a rotation.
Eigen::Vector3d vector_from_rotation(const Eigen::Matrix3d& rotation);

template <class To, class From>
struct HtmEstimate {
  Htm<To, From> htm;
  Matrix6d covariance = Matrix6d::Zero();  // of (w in rad, d in mm)
};

namespace detail {
Matrix6d composed_covariance(const Eigen::Matrix4d& left, const Matrix6d& left_covariance,
                             const Eigen::Matrix4d& right, const Matrix6d& right_covariance);
Matrix6d inverse_covariance(const Eigen::Matrix4d& matrix, const Matrix6d& covariance);
Eigen::Matrix4d corrected(const Eigen::Matrix4d& matrix, const Vector6d& correction);
Vector6d difference(const Eigen::Matrix4d& a, const Eigen::Matrix4d& b);
Eigen::Matrix3d point_covariance(const Eigen::Matrix4d& matrix, const Matrix6d& covariance,
                                 const Eigen::Vector3d& point_mm);
}  // namespace detail

/// Composition of two independent estimates.
template <class To, class Between, class From>
HtmEstimate<To, From> operator*(const HtmEstimate<To, Between>& left,
                                const HtmEstimate<Between, From>& right) {
  return {left.htm * right.htm, detail::composed_covariance(left.htm.matrix(), left.covariance,
                                                            right.htm.matrix(), right.covariance)};
}

template <class To, class From>
HtmEstimate<From, To> inverse(const HtmEstimate<To, From>& estimate) {
  return {estimate.htm.inverse(), detail::inverse_covariance(estimate.htm.matrix(), estimate.covariance)};
}

/// The transform moved by `correction` = (w in rad, d in mm) from the left; the rotation is orthogonalised
/// again.
template <class To, class From>
Htm<To, From> corrected(const Htm<To, From>& htm, const Vector6d& correction) {
  return Htm<To, From>(detail::corrected(htm.matrix(), correction));
}

/// (w in rad, d in mm) from b to a: corrected(b, difference(a, b)) = a.
template <class To, class From>
Vector6d difference(const Htm<To, From>& a, const Htm<To, From>& b) {
  return detail::difference(a.matrix(), b.matrix());
}
template <class To, class From>
Vector6d difference(const HtmEstimate<To, From>& a, const HtmEstimate<To, From>& b) {
  return difference(a.htm, b.htm);
}

/// Covariance in mm^2, along To's axes, of an exactly known point of From.
template <class To, class From>
Eigen::Matrix3d point_covariance(const HtmEstimate<To, From>& estimate, const Eigen::Vector3d& point_mm) {
  return detail::point_covariance(estimate.htm.matrix(), estimate.covariance, point_mm);
}

}  // namespace datum
