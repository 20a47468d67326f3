// Where the covariance of a fit stops being true: beyond these limits a fit is refused.
#pragma once

#include <limits>

namespace datum {

struct FitLimits {
  FitLimits() = default;  // no aggregate: {0, 0, 1} is a direction, never three limits
  /// For data whose answer is wanted however uncertain it is (published examples, samples of a search).
  static FitLimits none() {
    constexpr double any = std::numeric_limits<double>::infinity();
    FitLimits limits;
    limits.tilt_rad = limits.relative_radius = limits.scatter = limits.relative_noise = any;
    limits.strip = 0;
    return limits;
  }

  /// Tilt of a normal or a direction, standard uncertainty. At k = 2 the tangent of 0.1 rad differs from the
  /// angle by 0.3 %, and what the tilt does to a length by 0.5 %: the linear covariance carries both.
  double tilt_rad = 0.05;

  /// Radius, relative standard uncertainty e. The radius of an arc or a cap is as 1 / sagitta, so the ends of
  /// its k = 2 interval lie at R / (1 -+ 2 e): both shifted outwards by 4 e of the standard uncertainty. At
  /// 0.05 this leaves 95.0 % inside, at 0.09 only 93 %.
  double relative_radius = 0.05;

  /// Square of thickness to width of a plane's points, of width to length of a line's (eigenvalue ratios). The
  /// eigenvector's variance is larger than the linear one by 1 / (1 - ratio)^2: 5 % in its root at 0.05. It is
  /// the founders' limit for "not a plane" (METROLOGY S7).
  double scatter = 0.05;

  /// Square of width to length of a plane's points. Form error of the surface, which no residual shows, turns a
  /// strip of 1:100 a hundred times more about its length than about its width (METROLOGY S7).
  double strip = 1e-4;

  /// Noise to radius e. Isotropic noise lengthens a fitted radius by e^2 / 2 of it (a circle; twice that for a
  /// sphere), which no covariance of first order contains: 0.13 % at 0.05. Beyond, a few points of a flat piece
  /// pass for a small round one by chance.
  double relative_noise = 0.05;
};

}  // namespace datum
