// The normal distribution, on the host.
#pragma once

namespace datum {

/// Phi(x), by erfc on the side where it does not cancel.
double normal_share_below(double x);
double normal_density(double x);
/// Phi(x) = p, for p in (0, 1).
double normal_quantile(double p);
/// The highest of n independent ones stays below it with this probability.
double highest_of_normal(double probability, double n);

}  // namespace datum
