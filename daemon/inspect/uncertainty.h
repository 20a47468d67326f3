// Uncertainty budgets (METROLOGY S9): each term is a standard uncertainty in the characteristic's unit; terms
// add in squares.
#pragma once

#include <vector>

#include "daemon/inspect/characteristic.h"

namespace datum {

/// How the sensor's noise enters a characteristic, in um.
struct HeightNoise {
  double random = 0;    // scatter of the value from frame to frame
  double lift = 0;      // half width of what noise alone adds to a value that is picked by rank
  bool picked = false;  // one pixel's height, not a mean: the height's LSB enters fully
};

/// Variance of a mean: (s^2 + s_f^2 (S_f - 1)) / n, s the standard deviation of the heights (form of the top
/// included), s_f and S_f the noise and correlation that the sensor shows on the larger floor. The top's own
/// s^2 S / n instead where it is above that by more than two standard deviations of S.
HeightNoise mean_noise(const HeightStatistics& heights, const Floor& floor);

/// Order statistic of rank r: its rank scatters by n sqrt(r (n - r + 1) / ((n + 1)^2 (n + 2))) (Beta
/// distribution), times sqrt(S_o) for correlated pixels, times the local spacing of heights. For a normal
/// distribution and the median this is s sqrt(pi / 2) / sqrt(n_eff). What correlates is on which side of the
/// rank a pixel lies: for normal noise (2 / pi) asin(rho) instead of rho (arcsine law), so S_o = 1 + (S - 1)
/// (2 / pi) asin(rho_1) / rho_1 with rho_1 that of the nearest neighbours; S the floor's, or the top's own
/// where it is above by two standard deviations. `tail` is the share of pixels on the shorter side of the
/// rank.
HeightNoise order_noise(const OrderStatistic& statistic, const HeightStatistics& heights, const Floor& floor,
                        double tail);

/// Values picked from the share `tail` of all pixels: noise of standard deviation s lifts them by at most
/// s sqrt(2 ln(1 / (2 tail))), the bound on a normal quantile that follows from 1 - Phi(t) <= exp(-t^2 / 2)
/// / 2.
HeightNoise extreme_noise(const HeightStatistics& heights, double tail);

/// Maximum of the opening. On a plane top with white noise s the best of n patches reaches t with
/// n (1 - Phi(t))^9 = 1: t lies between 0 (n = 512) and 0.54 s (n = 50,000), hence 0.54 s as half width; it
/// scatters by less than 0.3 s (1.28 / (9 phi / (1 - Phi)) at these t is 0.1 to 0.2).
HeightNoise opened_noise(const HeightStatistics& heights);

/// Terms of a height in um; `slope` of the top over the floor. A height is the difference of two of the sensor's heights, whose
/// linearity deviations are taken as independent: that of the profile times sqrt(2).
std::vector<UncertaintyTerm> height_budget(double height_um, const HeightNoise& noise, double slope,
                                           const Measured& m);
/// Terms of a tilt in mdeg: slopes of top and floor by their least squares. The magnitude of a slope is never
/// negative, so both directions enter.
std::vector<UncertaintyTerm> tilt_budget(const Measured& m);
/// Term of a share in permille: binomial with n_eff, by (k + 1) / (n + 2) so that 0 and 1 keep an
/// uncertainty.
std::vector<UncertaintyTerm> presence_budget(const HeightStatistics& heights);

/// Root of the sum of squares.
double combined(const std::vector<UncertaintyTerm>& budget);

}  // namespace datum
