// The system of a thin-plate spline, symmetric and indefinite: solved with partial pivoting, and its inverse.
#pragma once

#include <Eigen/Core>

namespace datum {

struct SolvedSystem {
  Eigen::VectorXd solution;
  Eigen::MatrixXd inverse;
  double condition = 0;  // 1-norm of the matrix times that of its inverse
  double growth = 0, backward_error = 0;
};

/// `a` is square, `right` as long. Throws WarpRefused where a pivot is 0.
SolvedSystem solve_bordered(const Eigen::MatrixXd& a, const Eigen::VectorXd& right);

}  // namespace datum
