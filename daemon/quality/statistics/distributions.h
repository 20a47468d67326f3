// Distributions of statistics, by Boost.Math. Probabilities are lower tails unless a name says otherwise.
#pragma once

#include <cstdint>
#include <utility>

namespace datum::quality {

double normal_cdf(double z);
double normal_quantile(double p);
double t_quantile(double p, double df);
/// P(|T| > |t|).
double t_two_sided(double t, double df);
/// P(F > f).
double f_upper(double f, double df1, double df2);
double f_quantile(double p, double df1, double df2);
double chi2_cdf(double x, double df);
double chi2_quantile(double p, double df);

using Bounds = std::pair<double, double>;
/// Interval of a share after k of n (Clopper and Pearson 1934).
Bounds clopper_pearson(std::uint64_t k, std::uint64_t n, double confidence);
/// Interval of the noncentrality of a noncentral t that was seen as `t`.
Bounds noncentrality(double t, double df, double confidence);

}  // namespace datum::quality
