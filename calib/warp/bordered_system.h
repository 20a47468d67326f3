// The symmetric indefinite system of a thin-plate spline: solution by partial pivoting, and inverse.
#pragma once

#include <Eigen/Core>

#include "gpu/lu/system_inverter.h"

namespace datum {

struct SolvedSystem {
  Eigen::VectorXd solution;
  Eigen::MatrixXd inverse;
  double condition = 0;  // 1-norm of the matrix times that of its inverse
  double growth = 0, backward_error = 0;
};

/// `a` is square, `right` has as many rows. The bytes depend neither on `threads` nor on who inverts. Throws
/// WarpRefused where a pivot is 0.
SolvedSystem solve_bordered(const Eigen::MatrixXd& a, const Eigen::VectorXd& right, SystemInverter& inverter,
                            unsigned threads);

}  // namespace datum
