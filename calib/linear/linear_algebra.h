// Eigen's decompositions of small dense matrices, compiled once. Each file with matrix sizes of its own would
// instantiate some thousand templates.
#pragma once

#include <Eigen/Core>

namespace datum {

/// Eigenvalues and eigenvectors of a symmetric matrix; only its lower triangle is read.
struct EigenSystem {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns in the order of the values, orthonormal
};
EigenSystem eigen_system(const Eigen::MatrixXd& symmetric);

/// x of a x = b by LDL^T with diagonal pivoting; `a` is symmetric and positive or negative semidefinite.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::VectorXd solve_symmetric_vector(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// The same with the smallest pivot, which tells whether a direction is open: then x means nothing.
struct SymmetricSolution {
  bool factored = false;  // false: a value is not finite, or `a` is indefinite
  double least_pivot = 0;
  Eigen::VectorXd x;
};
SymmetricSolution solve_symmetric_pivoted(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// J C J^T: propagates the covariance C (n x n) by the Jacobian J (m x n).
Eigen::MatrixXd covariance_through(const Eigen::MatrixXd& jacobian, const Eigen::MatrixXd& covariance);

/// Inverse of an invertible square matrix, by LU with partial pivoting.
Eigen::MatrixXd inverse_matrix(const Eigen::MatrixXd& square);

/// Number of pivots of an LU with full pivoting that are larger than `threshold` times the largest.
int rank_of(const Eigen::MatrixXd& a, double threshold);

/// Of a square matrix by LU with full pivoting. The smallest pivot tells whether the matrix leaves a direction open: then the rest
/// means nothing.
struct PivotedInverse {
  double last_pivot = 0;    // absolute value
  bool invertible = false;  // no pivot is below the rounding of the largest
  Eigen::MatrixXd inverse;
};
PivotedInverse invert_pivoted(const Eigen::MatrixXd& square);
struct PivotedSolution {
  double last_pivot = 0;  // absolute value
  Eigen::VectorXd x;
};
PivotedSolution solve_pivoted(const Eigen::MatrixXd& square, const Eigen::VectorXd& right);

}  // namespace datum
