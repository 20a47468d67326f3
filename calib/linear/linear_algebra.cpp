#include "calib/linear/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

namespace datum {
namespace {

using PivotedLu = Eigen::FullPivLU<Eigen::MatrixXd>;

double last_pivot(const PivotedLu& lu) {
  const Eigen::Index last = lu.matrixLU().rows() - 1;
  return std::abs(lu.matrixLU()(last, last));
}

}  // namespace

EigenSystem eigen_system(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.ldlt().solve(b);
}

Eigen::VectorXd solve_symmetric_vector(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.ldlt().solve(b);
}

SymmetricSolution solve_symmetric_pivoted(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const Eigen::LDLT<Eigen::MatrixXd> factors = a.ldlt();
  return {factors.info() == Eigen::Success, factors.vectorD().minCoeff(), factors.solve(b)};
}

Eigen::MatrixXd covariance_through(const Eigen::MatrixXd& jacobian, const Eigen::MatrixXd& covariance) {
  const Eigen::MatrixXd half = jacobian.lazyProduct(covariance);
  return half.lazyProduct(jacobian.transpose());
}

Eigen::MatrixXd inverse_matrix(const Eigen::MatrixXd& square) { return square.partialPivLu().inverse(); }

int rank_of(const Eigen::MatrixXd& a, double threshold) {
  PivotedLu lu(a);
  lu.setThreshold(threshold);
  return static_cast<int>(lu.rank());
}

PivotedInverse invert_pivoted(const Eigen::MatrixXd& square) {
  const PivotedLu lu(square);
  return {last_pivot(lu), lu.isInvertible(), lu.inverse()};
}

PivotedSolution solve_pivoted(const Eigen::MatrixXd& square, const Eigen::VectorXd& right) {
  const PivotedLu lu(square);
  return {last_pivot(lu), lu.solve(right)};
}

}  // namespace datum
