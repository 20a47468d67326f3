// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations (Golub and Van Loan, 8.5), written
// once for hosts and devices: a fixed number of sweeps and only + - * / sqrt, so that the bits depend on the matrix
// alone. C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"

namespace datum {

struct Symmetric3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

struct Eigen3 {
  double value[3];      // descending
  double vector[3][3];  // vector[i] belongs to value[i]; orthonormal
};

/// Eight sweeps: quadratic convergence leaves nothing above rounding after five.
DATUM_HD Eigen3 eigen_of(const Symmetric3& m) {
  double a[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  // rows are vectors
  for (int turn = 0; turn < 24; ++turn) {
    const int p = turn % 3 == 2 ? 1 : 0, q = turn % 3 == 0 ? 1 : 2, r = 3 - p - q;
    const double off = a[p][q];
    if (off == 0) continue;
    const double theta = (a[q][q] - a[p][p]) / (2 * off);
    const double size = ::fabs(theta);
    const double root = size > 1e150 ? size : ::sqrt(theta * theta + 1);
    const double t = (theta < 0 ? -1.0 : 1.0) / (size + root);
    const double c = 1 / ::sqrt(t * t + 1), s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = a[q][p] = 0;
    const double rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; ++k) {
      const double vp = v[p][k], vq = v[q][k];
      v[p][k] = c * vp - s * vq;
      v[q][k] = s * vp + c * vq;
    }
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i)
    for (int k = i + 1; k < 3; ++k)
      if (a[order[k]][order[k]] > a[order[i]][order[i]]) {
        const int other = order[i];
        order[i] = order[k];
        order[k] = other;
      }
  Eigen3 e;
  for (int i = 0; i < 3; ++i) {
    e.value[i] = a[order[i]][order[i]];
    for (int k = 0; k < 3; ++k) e.vector[i][k] = v[order[i]][k];
  }
  return e;
}

}  // namespace datum
