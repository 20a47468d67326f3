// Uncertainty budgets (daemon/inspection/METROLOGY.md, S9): each term is a standard uncertainty in the
// characteristic's unit; terms add in squares (JCGM 100, 5.1.2).
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/board/top_noise.h"
#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

/// Bound of a one-sided deviation with a known cause. It adds linearly to the other terms, not in squares.
struct Bound {
  std::string name;
  double size = 0;  // in the check's unit, not negative
};

/// Effect of the sensor's noise on a height, in um.
struct HeightNoise {
  double random = 0;    // standard deviation from frame to frame
  double lift = 0;      // bound: excess of a value selected by rank
  double missing = 0;   // bound: effect of the pixels without a height
  double rim = 0;       // bound: effect of the body's rim
  bool picked = false;  // one pixel's height instead of a mean: the LSB enters fully
};

HeightNoise mean_noise(const TopNoise& top);

/// Order statistic of rank r. Its rank scatters by n sqrt(r (n - r + 1) / ((n + 1)^2 (n + 2))) (Beta
/// distribution), times sqrt(S_o) for correlated pixels, times the local spacing of heights, at least that of
/// normal noise. For a normal distribution and the median this is s sqrt(pi / 2) / sqrt(n_eff). The side of
/// the rank on which a pixel lies correlates with (2 / pi) asin(rho) instead of rho for normal noise (arcsine
/// law), so S_o = 1 + (S - 1) (2 / pi) asin(rho_1) / rho_1, rho_1 of the nearest neighbours, S of TopNoise.
/// Noise lifts the value by s times the normal quantile of (r - 3/8) / (n + 1/4) (Blom 1958).
HeightNoise order_noise(const OrderStatistic& statistic, const Measured& m, const TopNoise& top);

/// Highest or lowest of all pixels with a height: normal noise lifts it by at most highest_of_normal() in 95
/// %.
HeightNoise extreme_noise(const Measured& m, const TopNoise& top);

/// Mean of the k highest of n: normal noise lifts it by s phi(z) / (k / n), z the normal quantile of 1 - k / n.
HeightNoise top_mean_noise(double k, const Measured& m, const TopNoise& top);

/// Maximum of the opening: the highest of the lowest pixels of `patches` patches of 3 x 3. With m independent
/// values per patch and P independent patches it stays below t with probability (1 - (1 - Phi(t))^m)^P. The
/// bound is the larger of its 5 % quantile (P a quarter of the patches, because patches overlap; m = 9 / S
/// over two pixels square) and its 95 % quantile (all patches; m = 9 / S over four).
HeightNoise opened_noise(const Measured& m, const TopNoise& top);

/// Terms of a height in um; `slope` of the top over the floor. A height is the difference of two sensor
/// heights whose linearity deviations are treated as independent: the profile's times sqrt(2).
std::vector<UncertaintyTerm> height_budget(double height_um, const HeightNoise& noise, double slope,
                                           const TopNoise& top, const Measured& m);
std::vector<Bound> height_bounds(const HeightNoise& noise, const TopNoise& top);
/// Terms of a tilt in mdeg, from least-squares slopes of top and floor. The magnitude of a slope is never
/// negative, so both directions enter.
std::vector<UncertaintyTerm> tilt_budget(double slope, const TopNoise& top, const Measured& m);
/// Terms of a share of the body's pixels in permille: binomial with n_eff, by (k + 1) / (n + 2) so that 0 and
/// 1 have an uncertainty; and pixels without a height, all of which may show the part.
std::vector<UncertaintyTerm> presence_budget(const Measured& m);

/// Root sum of squares.
double combined(const std::vector<UncertaintyTerm>& budget);

/// Adds each bound b as the term that raises the combined u by b / 1.645. Then neither U (k = 2) nor a
/// decision at 95 % is exceeded by a deviation of b with the other terms' scatter. A rule's confidence below
/// 95 % divides by its own quantile.
void add_bounds(std::vector<UncertaintyTerm>& budget, const std::vector<Bound>& bounds, double confidence);

}  // namespace datum
