// The normal distribution, on the host.
#pragma once

namespace datum {

/// Phi(x), by erfc on the side without cancellation.
double normal_share_below(double x);
double normal_density(double x);
/// x with Phi(x) = p, for p in (0, 1).
double normal_quantile(double p);
/// The value below which the highest of n independent normal values stays with this probability.
double highest_of_normal(double probability, double n);

}  // namespace datum
