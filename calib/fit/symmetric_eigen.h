// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi rotations. Correct for diagonal matrices
// too, where a power iteration started on an eigenvector stays there (daemon/inspection/METROLOGY.md, E14).
#pragma once

#include <Eigen/Core>

namespace datum {

struct SymmetricEigen {
  Eigen::Vector3d values;   // descending
  Eigen::Matrix3d vectors;  // columns in the order of the values, orthonormal, det = +1
};

/// A fixed number of sweeps and only + - * / sqrt, so that the result's bits depend on the matrix alone.
/// Reads the lower triangle and the diagonal.
SymmetricEigen symmetric_eigen(const Eigen::Matrix3d& matrix);

}  // namespace datum
