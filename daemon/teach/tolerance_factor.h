// Statistics of few boards: limits of a population from a small sample of it.
#pragma once

namespace datum::teach {

/// x below which a chi-squared value of `freedom` > 0 degrees stays with probability p in (0, 1). Relative error below 1e-9.
double chi_squared_quantile(double p, double freedom);

/// k of the two-sided statistical tolerance interval mean +- k s of n >= 2 normal values: with this confidence it holds at least
/// `share` of the population. W. G. Howe, "Two-sided tolerance limits for normal populations - some improvements", J. Amer. Stat.
/// Assoc. 64 (1969) 610: k = z sqrt((n - 1) (1 + 1/n) / chi2), z the normal quantile of (1 + share) / 2, chi2 the quantile of
/// 1 - confidence at n - 1 degrees. Above the printed exact factors by 3.8 % (n = 2), 2.1 % (3), and below 1 % from n = 5 on.
double tolerance_factor(int n, double share, double confidence);

/// Median of the standard deviation of n >= 2 normal values with sigma = 1: the median of many such deviations divided by it
/// estimates sigma, whatever a minority of them is.
double median_deviation_factor(int n);

}  // namespace datum::teach
