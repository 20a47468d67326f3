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

/// J C J^T: propagates the covariance C (n x n) by the Jacobian J (m x n).
Eigen::MatrixXd covariance_through(const Eigen::MatrixXd& jacobian, const Eigen::MatrixXd& covariance);

/// Inverse of an invertible square matrix, by LU with partial pivoting.
Eigen::MatrixXd inverse_matrix(const Eigen::MatrixXd& square);

}  // namespace datum
