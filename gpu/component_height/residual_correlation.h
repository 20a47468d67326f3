// How much neighbouring residuals resemble each other, as the one number that divides n: neighbouring pixels
// of a height map are not independent.
//
// Sum over all two-dimensional lags of the autocorrelation, S = sum rho(i, j), so that the variance of a mean
// of n pixels is s^2 S / n (METROLOGY S9, there for one dimension: 1 + 2 sum rho_k). Estimated without a list
// of lags: the sum over all lags within a square |i|, |j| <= L is sum_p r_p B_L(p) / sum_p r_p^2 with B_L the
// box sum of the residuals around p, pixels outside the region counting as 0.
#pragma once

#include <cstdint>

#include "gpu/component_height/pixel_run.h"

namespace datum {

/// S of residuals in run order (|r| <= 255 steps, 0 where there is none; `n` of them have one), >= 1.
///
/// Stop rule: L = 1, 2, 4, 8, 16; the last L is taken that added more than two standard deviations of what
/// white residuals would add (variance 2 m / n for m lags), as long as the lags are fewer than n / 12. A fit
/// of three parameters pulls every rho down by about S / n for each of them; that is undone by 1 / (1 - 3 m /
/// n).
double residual_correlation(const PixelRun* runs, std::uint32_t run_count, const std::int16_t* residuals,
                            std::uint32_t n);

}  // namespace datum
