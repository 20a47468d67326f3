// A surface through points by a thin-plate spline: the form of a warped board between the places of measured
// height (daemon/inspection/METROLOGY.md, S4; Duchon 1977; Wahba, "Spline models for observational data",
// 1990, chapters 2 to 4).
//
// Places in mm, heights and standard uncertainties in um, in the knots' coordinate system. Host only: the
// kernel uses the C library's logarithm, which GPUs do not reproduce bit for bit.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "calib/warp/warp_trend.h"
#include "gpu/lu/system_inverter.h"

namespace datum {

/// A place of known height.
struct WarpKnot {
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();
  double z_um = 0, u_um = 0;
  std::string name;  // for messages
};

/// Knots that do not determine a surface, or an ill-conditioned system; the text states why and the remedy.
class WarpRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numerical quality of the surface.
struct WarpHealth {
  std::size_t knots = 0;
  double lambda = 0;            // smoothing weight, coordinates scaled to -1..1; chosen or given
  double leave_one_out_um = 0;  // rms of each knot's height less its prediction from all others
  double largest_leave_one_out_um = 0;
  std::string worst_knot;     // the knot of that value
  double roughness_um = 0;    // sigma: square root of the variance per unit of the kernel
  double condition = 0;       // of the system, 1-norm
  double growth = 0;          // largest element of U over the largest of the matrix
  double backward_error = 0;  // |b - A x| / (|A| |x| + |b|), infinity norms
};

/// A linear combination of the surface's heights.
struct WarpSum {
  std::vector<Eigen::Vector2d> at_mm;
  std::vector<double> weight;
};

/// Minimises sum (f(p_i) - z_i)^2 / (lambda omega_i) + bending energy, with omega_i the knots' variances over
/// their mean: [K + lambda Omega, P; P^T, 0] [w; a] = [z; 0], K = r^2 ln r^2. P is the trend: 1, x, y and the
/// quadratics that the knots determine (WarpTrend), coordinates scaled to -1..1. The energy applies to the
/// residual from the trend: without quadratics a spline's free border flattens a twist by some percent
/// (universal kriging; Matheron 1969).
///
/// lambda: the decade of 1e-8..1e2, descending from 1e-4, with the least leave-one-out rms. Removing row and
/// column i from the system A gives, by the Schur complement, w_i = (A^-1)_ii (z_i - prediction without i).
/// The prediction error is therefore w_i / (A^-1)_ii without another solution.
///
/// Uncertainty: the spline is the best linear unbiased prediction of a random surface with the generalised
/// covariance sigma^2 K (Matheron 1973; Wahba, section 1.5). A sum s = sum c_j f(p_j) has the variance
/// sigma^2 (c^T K c - k^T A^-1 k), k = sum c_j (K(p_j, knots), P(p_j)), which grows with the distance to the
/// knots. sigma^2 is the larger of two estimates: z^T w / (n - trend) (restricted maximum likelihood, the
/// whole board's form) and the mean of w_i^2 / (A^-1)_ii (deviations between neighbours). The contribution of
/// the knots' own uncertainties, sum (A^-1 k)_i^2 u_i^2, and the system's rounding are added. The model
/// assumes a smooth, homogeneous surface; left_out_um and unresolved_um cover a fold or a bump between knots.
class ThinPlate {
 public:
  /// Throws WarpRefused: fewer than 4 knots or more than 4096, a non-finite one, two nearer than 1 um, all
  /// within a strip thinner than 1:100, a singular system, or condition * 2^-52 * (largest height over the
  /// mean) above 1e-6 of `tolerance_um`. `lambda`: an earlier choice, to reproduce the same surface. The
  /// surface does not depend on `threads` or on who inverts (null: this program's CPU). n knots take up to 40 n^2 bytes and, for each lambda, 8 n^3 / 3 operations.
  ThinPlate(std::vector<WarpKnot> knots, double tolerance_um, std::optional<double> lambda = std::nullopt,
            unsigned threads = 1, SystemInverter* inverter = nullptr);

  double value_um(const Eigen::Vector2d& at_mm) const;
  Eigen::Vector2d gradient_um_per_mm(const Eigen::Vector2d& at_mm) const;
  /// Includes that of left_out_um.
  double u_um(const Eigen::Vector2d& at_mm) const;

  double value_um(const WarpSum& sum) const;
  double u_um(const WarpSum& sum) const;

  /// Half width in um of a deviation beyond u_um at a place, estimated from left-out knots because a board is
  /// not homogeneous. g is the place's distance to the nearest knot, s a knot's to its own. A fold midway
  /// between two knots misses a straight line by as much as either knot's neighbours miss it. The result is
  /// the larger of: the deviation of one of the five nearest knots (a lattice cell and one) beyond the knots'
  /// own uncertainties, times 2 g / s up to 1 and g / s beyond; and sqrt(3) leave_one_out_um g / s with the
  /// mean s. 0 at a knot.
  double left_out_um(const Eigen::Vector2d& at_mm) const;
  /// The same, or the height of a fold that runs along rows of knots, so that each knot agrees with its
  /// neighbours of the row: a third of the second difference of the residual from the trend, 2 g to either
  /// side, the largest of four directions. A spline through lattices of 5 to 20 columns misses a fold midway
  /// between them by 0.21 to 0.35 of it.
  double unresolved_um(const Eigen::Vector2d& at_mm) const;

  const WarpHealth& health() const { return health_; }
  const std::vector<WarpKnot>& knots() const { return knots_; }
  /// Height of each knot less its prediction from all others.
  const std::vector<double>& leave_one_out_um() const { return leave_one_out_um_; }

 private:
  struct Solved;
  Eigen::Vector2d scaled(const Eigen::Vector2d& at_mm) const { return (at_mm - centre_mm_) / half_mm_; }
  void scale();
  /// The system of lambda 0.
  Eigen::MatrixXd system(unsigned threads) const;
  Solved solve(double lambda, Eigen::MatrixXd& system, SystemInverter& inverter, unsigned threads) const;
  Solved downhill(Eigen::MatrixXd& system, SystemInverter& inverter, unsigned threads) const;
  void take(Solved solved);
  /// (K(p, knots), trend) of a scaled place.
  Eigen::VectorXd influence(const Eigen::Vector2d& p) const;
  /// Residual from the trend at a scaled place, in um.
  double over_trend_um(const Eigen::Vector2d& p) const;
  void find_neighbours(unsigned threads);
  double nearest(const Eigen::Vector2d& p) const;  // scaled

  std::vector<WarpKnot> knots_;
  Eigen::Vector2d centre_mm_ = Eigen::Vector2d::Zero();
  double half_mm_ = 1, mean_um_ = 0;
  Eigen::MatrixXd place_;  // n x 2, scaled
  WarpTrend trend_;
  Eigen::VectorXd height_, omega_;  // um over the mean; relative variance
  Eigen::VectorXd solution_;        // w, a
  Eigen::MatrixXd inverse_;         // of the system
  double rounding_um_ = 0;          // of a height, at most
  std::vector<double> leave_one_out_um_;
  double mean_spacing_ = 0;
  Eigen::VectorXd unexplained_um_,
      spacing_;  // of each knot: left-out deviation beyond noise; scaled distance to its nearest neighbour
  WarpHealth health_;
};

}  // namespace datum
