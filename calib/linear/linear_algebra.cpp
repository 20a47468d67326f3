#include "calib/linear/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace datum {

EigenSystem eigen_system(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.ldlt().solve(b);
}

Eigen::MatrixXd covariance_through(const Eigen::MatrixXd& jacobian, const Eigen::MatrixXd& covariance) {
  const Eigen::MatrixXd half = jacobian.lazyProduct(covariance);
  return half.lazyProduct(jacobian.transpose());
}

Eigen::MatrixXd inverse_matrix(const Eigen::MatrixXd& square) { return square.partialPivLu().inverse(); }

}  // namespace datum
