// Capability and performance of a process with intervals (ISO 22514-2; A. F. Bissell, Applied Statistics 39, 1990, 331).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/statistics/exact.h"

namespace datum::quality {

enum class Distribution : std::uint8_t { normal, lognormal, empirical };
const char* name_of(Distribution d);

struct Specification {
  std::optional<double> lower, upper, target;
};

struct Index {
  double value = 0;
  std::optional<Bounds> interval, exact;  // exact: of a one-sided index, by the noncentral t
};

struct Capability {
  std::uint64_t n = 0;
  double mean = 0, s = 0, sigma_within = 0;
  Distribution distribution = Distribution::normal;
  std::optional<Index> cp, cpk, pp, ppk;
  std::optional<Index> ppk_gb;                    // Ppk with limits moved inwards by the guard band
  std::optional<double> guard_band;               // none: not asked for, or no uncertainty is stated
  std::optional<double> cpm_s, cpm_n;             // by s, and by the mean square about the target
  std::optional<double> low, middle, high;        // quantiles 0.00135, 0.5, 0.99865 where not normal
  std::optional<double> anderson_darling, fit_p;  // of the named distribution
  std::vector<std::string> notes;                 // refused indices, and what a reader must know
};

/// n of which the sample reaches the quantile 0.00135 with 95 %: ln 0.05 / ln 0.99865.
inline constexpr std::uint64_t least_empirical = 2218;

/// `sigma_within` with its effective degrees of freedom. Cp and Cpk are of normal values alone; Pp and Ppk of others come from quantiles,
/// of a distribution that the values reject (p below `least_fit_p`), or empirical ones of fewer than 2218 values, they are refused.
Capability capability_of(std::vector<std::int64_t> counts, int digits, const Specification& spec,
                         double sigma_within, double df_within, Distribution distribution, double confidence,
                         double least_fit_p = 0.005);
/// Of sums alone, normal, without a test of the fit.
Capability capability_of(const ExactSums& sums, int digits, const Specification& spec, double sigma_within,
                         double df_within, double confidence);

/// Adds Ppk_gb: Ppk with the limits L + g and U - g, g = k u (ISO 14253-1, JCGM 106); `u` is the standard uncertainty of a value. Where Ppk is
/// refused, `u` is not above 0 or not finite, or the moved limits meet, it stays without, and a note says why.
void add_guarded(Capability& c, const Specification& spec, double k, double u, double confidence);

struct Fit {
  double a2 = 0, p = 0;
};
/// Anderson and Darling's test of sorted values against a normal distribution with their mean and s (D'Agostino and Stephens 1986).
Fit normality(const std::vector<double>& sorted, double mean, double s);

/// Effective degrees of freedom of a mean of n - 1 moving ranges of two: their relative variance is (d3^2 + 2 c) / (d2^2 (n - 1)),
/// c = 0.16277 the covariance of neighbours.
double moving_range_df(std::uint64_t ranges);

}  // namespace datum::quality
