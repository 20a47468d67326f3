// A surface through points by a thin-plate spline: what a warped board looks like between the places where its height
// was measured (METROLOGY S4; Duchon 1977, Wahba, "Spline Models for Observational Data", 1990, chapters 2 to 4).
//
// Places in mm, heights in um, standard uncertainties in um, in whatever coordinate system the knots are in. Host only:
// the kernel's logarithm is the C library's, and no kernel of a device has a part in it.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "calib/warp/warp_trend.h"

namespace datum {

/// A place whose height is known.
struct WarpKnot {
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();
  double z_um = 0, u_um = 0;
  std::string name;  // for messages
};

/// Knots that carry no surface, or a system that was not solved well enough; the text says why and what to do.
class WarpRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How well the surface is founded.
struct WarpHealth {
  std::size_t knots = 0;
  double lambda = 0;            // weight of smoothness, coordinates scaled to -1..1; chosen or given
  double leave_one_out_um = 0;  // rms of each knot's height less that predicted from all others
  double largest_leave_one_out_um = 0;
  std::string worst_knot;     // whose that is
  double roughness_um = 0;    // sigma: square root of the variance per unit of the kernel
  double condition = 0;       // of the system, 1-norm
  double growth = 0;          // largest element of U over the largest of the matrix
  double backward_error = 0;  // |b - A x| / (|A| |x| + |b|), infinity norms
};

/// A weighted sum of the surface's heights.
struct WarpSum {
  std::vector<Eigen::Vector2d> at_mm;
  std::vector<double> weight;
};

/// Minimises sum (f(p_i) - z_i)^2 / (lambda omega_i) + bending energy, omega_i the knots' variances over their mean:
/// [K + lambda Omega, P; P^T, 0] [w; a] = [z; 0] with K = r^2 ln r^2 and P the trend: 1, x, y and the quadratics that the
/// knots determine (WarpTrend), coordinates scaled to -1..1. The energy is that of what is left over the trend: without
/// quadratics a spline's free border flattens a twist by some percent (universal kriging; Matheron 1969).
///
/// lambda: the decade of 1e-8..1e2 downhill from 1e-4 whose leave-one-out rms is least. Taking row and column i out of
/// the system A leaves, by the Schur complement, w_i = (A^-1)_ii (z_i - prediction without i): so the error of
/// that prediction is w_i / (A^-1)_ii, without solving once more.
///
/// Uncertainty: the spline is the best linear unbiased prediction of a random surface whose generalised covariance
/// is sigma^2 K (Matheron 1973; Wahba, chapter 1.5), so a sum s = sum c_j f(p_j) is predicted with the variance
/// sigma^2 (c^T K c - k^T A^-1 k), k = sum c_j (K(p_j, knots), P(p_j)): it grows with the distance to the knots. sigma^2
/// is the larger of two estimates, z^T w / (n - trend) (restricted maximum likelihood: the whole board's form) and the mean
/// of w_i^2 / (A^-1)_ii (what was found between neighbours). To it is added what the knots' own uncertainties
/// contribute, sum (A^-1 k)_i^2 u_i^2, and the system's rounding. That random surface is smooth and alike everywhere; what a
/// fold or a bump does between knots, left_out_um and unresolved_um tell.
class ThinPlate {
 public:
  /// Throws WarpRefused: fewer than 4 knots or more than 1024, one that is not finite, two nearer than 1 um, all
  /// within a strip thinner than 1:100, a singular system, or condition * 2^-52 * (largest height over the mean) above
  /// 1e-6 of `tolerance_um`. `lambda`: as it was chosen once, to make the same surface again.
  ThinPlate(std::vector<WarpKnot> knots, double tolerance_um, std::optional<double> lambda = std::nullopt);

  double value_um(const Eigen::Vector2d& at_mm) const;
  Eigen::Vector2d gradient_um_per_mm(const Eigen::Vector2d& at_mm) const;
  /// With that of left_out_um.
  double u_um(const Eigen::Vector2d& at_mm) const;

  double value_um(const WarpSum& sum) const;
  double u_um(const WarpSum& sum) const;

  /// Half width of what the surface may be off at a place beyond u_um, in um, as knots that are left out show it: for a
  /// board is not alike everywhere. g is the place's distance to the nearest knot, s a knot's to its own; a fold midway
  /// between two knots misses a straight line by as much as either knot's neighbours miss it. The larger of: what one
  /// of the five nearest knots (a lattice's cell and one) is off, beyond what the knots' own uncertainties explain, times
  /// 2 g / s up to 1, g / s beyond; and sqrt(3) leave_one_out_um g / s, s the mean one. 0 at a knot.
  double left_out_um(const Eigen::Vector2d& at_mm) const;
  /// The same, or what a fold there hides that runs along rows of knots, so that each of these is met by its neighbours of
  /// the row: a third of the second difference of what is over the trend, 2 g to either side, the larger of four
  /// directions. A spline through lattices of 5 to 20 columns misses a fold midway between them by 0.21 to 0.35 of it.
  double unresolved_um(const Eigen::Vector2d& at_mm) const;

  const WarpHealth& health() const { return health_; }
  const std::vector<WarpKnot>& knots() const { return knots_; }
  /// Of each knot: its height less that predicted from all others.
  const std::vector<double>& leave_one_out_um() const { return leave_one_out_um_; }

 private:
  struct Solved;
  Eigen::Vector2d scaled(const Eigen::Vector2d& at_mm) const { return (at_mm - centre_mm_) / half_mm_; }
  void scale();
  Eigen::MatrixXd system(double lambda) const;
  Solved solve(double lambda) const;
  Solved downhill() const;
  void take(Solved solved);
  /// (K(p, knots), trend) of a scaled place.
  Eigen::VectorXd influence(const Eigen::Vector2d& p) const;
  /// What is over the trend at a scaled place, in um.
  double over_trend_um(const Eigen::Vector2d& p) const;
  void find_neighbours();
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
      spacing_;  // of each knot: left out, beyond noise; to the nearest other one, scaled
  WarpHealth health_;
};

}  // namespace datum
