// Where one look's own bodies put a board: the test that all looks show the same one.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "daemon/inspection/registration/board_registration.h"

namespace datum {

struct OwnPlace {
  std::size_t expected = 0, seen = 0;  // bodies wholly in the frame whose place has heights; those there
  std::size_t pairs = 0;               // of edges
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();  // middle of their bodies, nominal board coordinates
  /// Of the board at at_mm from the common motion: shift in mm and rotation in rad; none: fewer than three bodies show it.
  std::optional<Eigen::Vector3d> off;
  double scatter_mm = 0;  // of the pairs about the look's own place
  Eigen::Matrix3d per_mm2 =
      Eigen::Matrix3d::Zero();  // covariance of `off` over the square of the pairs' scatter
  Eigen::Vector2d hidden_mm = Eigen::Vector2d::Zero();  // standard uncertainty that all pairs have in common
};

/// Of the look's 48 largest bodies, with the board at `common`. hidden_mm: half of the pairs' size_off_mm as half width of a
/// rectangular distribution, as in fit_motion.
OwnPlace own_place(const Recipe& recipe, const BoardLookAt& look, const RegisteredMotion& common,
                   const RegistrationSettings& settings, unsigned threads);

/// Scatter of the pairs within looks, mm: few of one look tell none of their own, and looks at different boards do not widen it.
struct LooksScatter {
  double mm = 0;
  double freedom = 0;
};
LooksScatter scatter_within(const std::vector<OwnPlace>& places, double pixel_mm);

/// chi2 of a look's offset. `way_mm2`: what moves this look against the others.
double chi2_of(const OwnPlace& own, const LooksScatter& scatter, const Eigen::Matrix2d& way_mm2);

/// What chi2_of exceeds with the probability with which a normal value exceeds z standard deviations: three times the quantile of
/// F (3, freedom) by E. Paulson, Ann. Math. Stat. 13 (1942) 233; infinite below four degrees of freedom.
double chi2_of_limit(double z, double freedom);

/// The recipe's components that may lie wholly in the look, with the board anywhere within max_shift_mm.
Recipe shown_alone(const Recipe& recipe, const BoardLookAt& look, const RegistrationSettings& settings);

}  // namespace datum
