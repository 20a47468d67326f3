// Uncertainty budgets (METROLOGY S9): each term is a standard uncertainty in the characteristic's unit; terms
// add in squares.
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/board/top_noise.h"
#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

/// What a value may be off by to one side for a known cause: no scatter, so it adds to the rest as it is, not in squares.
struct Bound {
  std::string name;
  double size = 0;  // in the check's unit, not negative
};

/// How the sensor's noise enters a height, in um.
struct HeightNoise {
  double random = 0;    // scatter of the value from frame to frame
  double lift = 0;      // what noise adds to a value that is picked by rank, a bound
  double missing = 0;   // what the pixels without a height may change, a bound
  double rim = 0;       // what the body's rim may have added to it, a bound
  bool picked = false;  // one pixel's height, not a mean: the height's LSB enters fully
};

HeightNoise mean_noise(const TopNoise& top);

/// Order statistic of rank r: its rank scatters by n sqrt(r (n - r + 1) / ((n + 1)^2 (n + 2))) (Beta
/// distribution), times sqrt(S_o) for correlated pixels, times the local spacing of heights, at least that of normal noise.
/// For a normal distribution and the median this is s sqrt(pi / 2) / sqrt(n_eff). What correlates is on which side of the
/// rank a pixel lies: for normal noise (2 / pi) asin(rho) instead of rho (arcsine law), so S_o = 1 + (S - 1)
/// (2 / pi) asin(rho_1) / rho_1 with rho_1 that of the nearest neighbours; S of TopNoise. Noise lifts it by s times the
/// normal quantile of (r - 3/8) / (n + 1/4) (Blom 1958).
HeightNoise order_noise(const OrderStatistic& statistic, const Measured& m, const TopNoise& top);

/// Highest or lowest of all pixels with a height: normal noise lifts it by no more than highest_of_normal() in 95 %.
HeightNoise extreme_noise(const Measured& m, const TopNoise& top);

/// Mean of the k highest of n: normal noise lifts it by s phi(z) / (k / n), z the normal quantile of 1 - k / n.
HeightNoise top_mean_noise(double k, const Measured& m, const TopNoise& top);

/// Maximum of the opening, the best of the lowest pixels of `patches` patches of 3 x 3. With m independent values in a
/// patch and P independent patches it stays below t with the probability (1 - (1 - Phi(t))^m)^P. The bound is the larger of
/// its quantiles of 5 % (P a quarter of the patches, for patches overlap; m = 9 / S over two pixels square) and 95 % (all
/// patches; m = 9 / S over four).
HeightNoise opened_noise(const Measured& m, const TopNoise& top);

/// Terms of a height in um; `slope` of the top over the floor. A height is the difference of two of the sensor's heights, whose
/// linearity deviations are taken as independent: that of the profile times sqrt(2).
std::vector<UncertaintyTerm> height_budget(double height_um, const HeightNoise& noise, double slope,
                                           const TopNoise& top, const Measured& m);
std::vector<Bound> height_bounds(const HeightNoise& noise, const TopNoise& top);
/// Terms of a tilt in mdeg: slopes of top and floor by their least squares. The magnitude of a slope is never
/// negative, so both directions enter.
std::vector<UncertaintyTerm> tilt_budget(double slope, const TopNoise& top, const Measured& m);
/// Terms of a share of the body's pixels in permille: binomial with n_eff, by (k + 1) / (n + 2) so that 0 and 1 keep an
/// uncertainty; and pixels without a height, which may all show the part.
std::vector<UncertaintyTerm> presence_budget(const Measured& m);

/// Root of the sum of squares.
double combined(const std::vector<UncertaintyTerm>& budget);

/// Adds each bound b as the term that raises the combined u by b / 1.645: then neither U (k = 2) nor a decision at 95 %
/// is exceeded where the value is off by b and scatters by what the other terms say. A rule's confidence below 95 % divides
/// by its own quantile.
void add_bounds(std::vector<UncertaintyTerm>& budget, const std::vector<Bound>& bounds, double confidence);

}  // namespace datum
