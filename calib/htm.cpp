#include "calib/htm.h"

#include <Eigen/LU>
#include <cmath>
#include <cstdio>

namespace datum {

void check_rigid(const Eigen::Matrix4d& matrix) {
  if (!matrix.allFinite()) throw CalibrationError("the matrix has an element that is not finite");
  if (matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) {
    throw CalibrationError("the last row of the matrix must be 0 0 0 1");
  }
  const Eigen::Matrix3d r = matrix.topLeftCorner<3, 3>();
  if (r.determinant() < 0) {
    throw CalibrationError("the rotation is mirrored (determinant below 0)");
  }
  const double error = (r.transpose() * r - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (error > rigidity_limit) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "the rotation is scaled or skewed: R^T R differs from the identity by %.3g, allowed is "
                  "%.3g; write the "
                  "matrix with at least 9 decimals",
                  error, rigidity_limit);
    throw CalibrationError(text);
  }
}

}  // namespace datum
