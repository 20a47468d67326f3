// Nonlinear least squares of few parameters: Gauss-Newton steps, damped (Levenberg 1944, Marquardt 1963)
// where they do not descend.
//
// A Model holds the points and provides, for a State (the feature):
//   linearised(state)   -> Normal<N>: J^T J, J^T r, sum r^2, and the largest length that a residual is made of
//   moved(state, step)  -> State
// Points are scaled to an rms distance of 1, so that the rounding of a residual is a few epsilon of that
// length.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "calib/linear/linear_algebra.h"

namespace datum {

template <int N>
struct Normal {
  Eigen::Matrix<double, N, N> jtj = Eigen::Matrix<double, N, N>::Zero();
  Eigen::Matrix<double, N, 1> jtr = Eigen::Matrix<double, N, 1>::Zero();
  double sum_squares = 0;
  double reach = 1;
  double residuals = 0;  // their number

  void add(const Eigen::Matrix<double, N, 1>& row, double residual) {
    jtj += row * row.transpose();
    jtr += row * residual;
    sum_squares += residual * residual;
    residuals += 1;
  }
};

template <int N, class State>
struct Minimum {
  State state;
  Normal<N> normal;
  int iterations = 0;
  bool converged = false;
};

/// A residual is a difference of two lengths below `reach`, each from three rounded squares and a root.
inline double residual_rounding(double reach) { return 4 * std::numeric_limits<double>::epsilon() * reach; }

/// Largest rise of a sum of squares by rounding alone: of the residuals and of their summation.
template <int N>
double rounding_of_sum(const Normal<N>& n) {
  const double r = residual_rounding(n.reach);
  return (n.residuals + 3) * std::numeric_limits<double>::epsilon() * n.sum_squares +
         2 * r * std::sqrt(n.residuals * n.sum_squares) + n.residuals * r * r;
}

/// Stops where an undamped step would change the residuals by less, in rms, than their rounding; further
/// steps are not determined by the points. The sum of squares alone does not show this near a minimum, so a
/// step counts as a descent unless the sum rises by more than rounding.
template <int N, class Model, class State>
Minimum<N, State> minimise(const Model& model, const State& start, int limit = 200) {
  Minimum<N, State> at{start, model.linearised(start)};
  double damping = 0;
  for (; at.iterations < limit; ++at.iterations) {
    const auto& n = at.normal;
    const auto solve = [&](double d) -> Eigen::Matrix<double, N, 1> {
      Eigen::Matrix<double, N, N> damped = n.jtj;
      damped.diagonal() *= 1 + d;
      return -solve_symmetric(damped, n.jtr);
    };
    const Eigen::Matrix<double, N, 1> undamped = solve(0), step = damping > 0 ? solve(damping) : undamped;
    const double change = undamped.dot(n.jtj * undamped), rounding = residual_rounding(n.reach);
    if (!std::isfinite(change)) return at;
    if (change <= n.residuals * rounding * rounding) {
      at.converged = true;
      return at;
    }
    const State there = model.moved(at.state, step);
    const Normal<N> normal = model.linearised(there);
    if (normal.sum_squares <= n.sum_squares + rounding_of_sum(n)) {
      at.state = there;
      at.normal = normal;
      damping = damping < 1e-6 ? 0 : damping * 0.1;
    } else {
      damping = damping > 0 ? damping * 10 : 1e-4;
      if (damping > 1e16) return at;
    }
  }
  return at;
}

}  // namespace datum
