// Limits of a fit's first-order covariance. A fit beyond them is refused.
#pragma once

#include <limits>

namespace datum {

struct FitLimits {
  FitLimits() = default;  // no aggregate: {0, 0, 1} is a direction, never three limits
  /// For callers that accept any uncertainty: published examples, samples of a search.
  static FitLimits none() {
    constexpr double any = std::numeric_limits<double>::infinity();
    FitLimits limits;
    limits.tilt_rad = limits.relative_radius = limits.scatter = limits.relative_noise = any;
    limits.strip = 0;
    return limits;
  }

  /// Standard uncertainty of a normal's or direction's tilt. At k = 2 the tangent of 0.1 rad differs from the
  /// angle by 0.3 %, and the effect on a length by 0.5 %, so the first-order covariance holds.
  double tilt_rad = 0.05;

  /// Relative standard uncertainty e of a radius. The radius of an arc or cap is proportional to 1 / sagitta,
  /// so its k = 2 interval ends at R / (1 -+ 2 e): both ends shifted outwards by 4 e of the standard
  /// uncertainty. At 0.05 the interval covers 95.0 %, at 0.09 only 93 %.
  double relative_radius = 0.05;

  /// Squared ratio of thickness to width of a plane's points, of width to length of a line's (eigenvalue
  /// ratios). The eigenvector's variance exceeds the first-order one by 1 / (1 - ratio)^2, 5 % in its root at
  /// 0.05 (daemon/inspection/METROLOGY.md, S7: not a plane).
  double scatter = 0.05;

  /// Squared ratio of width to length of a plane's points. Form error, not visible in residuals, turns a
  /// strip of 1:100 a hundred times more about its length than about its width (METROLOGY.md, S7).
  double strip = 1e-4;

  /// Ratio e of noise to radius. Isotropic noise lengthens a fitted radius by e^2 / 2 of it (circle; sphere:
  /// twice that), which no first-order covariance contains: 0.13 % at 0.05. Beyond it, a few points of a flat
  /// piece can pass for a small round one.
  double relative_noise = 0.05;
};

}  // namespace datum
