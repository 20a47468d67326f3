#include "daemon/quality/spc/capability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum::quality {
namespace {

constexpr double low_tail = 0.00135;

/// Two-sided index over six, nearest limit over three of a sigma.
std::optional<double> two_sided(const Specification& spec, double sigma) {
  if (!spec.lower || !spec.upper || !(sigma > 0)) return std::nullopt;
  return (*spec.upper - *spec.lower) / (6 * sigma);
}
std::optional<double> nearest(const Specification& spec, double middle, double below, double above) {
  std::optional<double> least;
  if (spec.lower && below > 0) least = (middle - *spec.lower) / below;
  if (spec.upper && above > 0) least = std::min(least.value_or(1e300), (*spec.upper - middle) / above);
  return least;
}

Index scaled(double value, double df, double confidence) {
  const double tail = (1 - confidence) / 2;
  return {value,
          Bounds{value * std::sqrt(chi2_quantile(tail, df) / df),
                 value * std::sqrt(chi2_quantile(1 - tail, df) / df)},
          {}};
}

Index bissell(double value, double n, double df, double confidence) {
  const double half =
      normal_quantile((1 + confidence) / 2) * std::sqrt(1 / (9 * n) + value * value / (2 * df));
  return {value, Bounds{value - half, value + half}, {}};
}

void add_normal(Capability& c, const Specification& spec, double df_within, double confidence) {
  const double n = static_cast<double>(c.n), df = n - 1;
  if (const auto cp = two_sided(spec, c.sigma_within); cp && df_within > 0)
    c.cp = scaled(*cp, df_within, confidence);
  if (const auto cpk = nearest(spec, c.mean, 3 * c.sigma_within, 3 * c.sigma_within); cpk && df_within > 0)
    c.cpk = bissell(*cpk, n, df_within, confidence);
  if (const auto pp = two_sided(spec, c.s)) c.pp = scaled(*pp, df, confidence);
  if (const auto ppk = nearest(spec, c.mean, 3 * c.s, 3 * c.s)) {
    c.ppk = bissell(*ppk, n, df, confidence);
    const Bounds delta = noncentrality(3 * std::sqrt(n) * *ppk, df, confidence);
    c.ppk->exact = Bounds{delta.first / (3 * std::sqrt(n)), delta.second / (3 * std::sqrt(n))};
  }
  if (spec.target && spec.lower && spec.upper) {
    const double off = c.mean - *spec.target, width = *spec.upper - *spec.lower;
    c.cpm_s = width / (6 * std::sqrt(c.s * c.s + off * off));
    c.cpm_n = width / (6 * std::sqrt(c.s * c.s * df / n + off * off));
  }
  if (c.cp && c.pp && c.cp->value < c.pp->value)
    c.notes.emplace_back(
        "Cp is below Pp: neighbours differ more than the whole does, a negative autocorrelation");
}

void start(Capability& c, const ExactSums& sums, int digits, double sigma_within) {
  c.n = sums.n;
  c.mean = sums.mean(digits);
  c.s = std::sqrt(sums.variance(digits));
  c.sigma_within = sigma_within;
}

bool enough(Capability& c) {
  if (c.n < 2)
    c.notes.push_back(fmt::format("{} values: no index", c.n));
  else if (!(c.s > 0))
    c.notes.emplace_back("all values are equal: no index");
  return c.n >= 2 && c.s > 0;
}

void add_quantiles(Capability& c, const Specification& spec, double low, double middle, double high) {
  c.low = low;
  c.middle = middle;
  c.high = high;
  if (spec.lower && spec.upper && high > low)
    c.pp = Index{(*spec.upper - *spec.lower) / (high - low), {}, {}};
  if (const auto ppk = nearest(spec, middle, middle - low, high - middle)) c.ppk = Index{*ppk, {}, {}};
  c.notes.emplace_back("Pp and Ppk by quantiles 0.00135, 0.5 and 0.99865, without interval");
}

void add_fit(Capability& c, const std::vector<double>& sorted, double mean, double s) {
  if (sorted.size() < 8 || !(s > 0)) return;
  const Fit fit = normality(sorted, mean, s);
  c.anderson_darling = fit.a2;
  c.fit_p = fit.p;
}

}  // namespace

const char* name_of(Distribution d) {
  return d == Distribution::normal ? "normal" : d == Distribution::lognormal ? "lognormal" : "empirical";
}

Fit normality(const std::vector<double>& sorted, double mean, double s) {
  const double n = static_cast<double>(sorted.size());
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double z = (sorted[i] - mean) / s, mirrored = (sorted[sorted.size() - 1 - i] - mean) / s;
    // log P(Z > z) = log P(Z < -z)
    sum += (2 * static_cast<double>(i) + 1) * (std::log(normal_cdf(z)) + std::log(normal_cdf(-mirrored)));
  }
  Fit fit;
  fit.a2 = (-n - sum / n) * (1 + 0.75 / n + 2.25 / (n * n));
  const double a = fit.a2;
  fit.p = a < 0.2    ? 1 - std::exp(-13.436 + 101.14 * a - 223.73 * a * a)
          : a < 0.34 ? 1 - std::exp(-8.318 + 42.796 * a - 59.938 * a * a)
          : a < 0.6  ? std::exp(0.9177 - 4.279 * a - 1.38 * a * a)
          : a < 10   ? std::exp(1.2937 - 5.709 * a + 0.0186 * a * a)
                     : 0;
  return fit;
}

double moving_range_df(std::uint64_t ranges) {
  // d2^2 = 4 / pi, d3^2 = 2 - 4 / pi; c = E|u v| - 4 / pi for normal u, v of variance 2 and correlation -1/2.
  const double mean2 = 4 / M_PI, neighbours = 4 / M_PI * (std::sqrt(3.0) / 2 + M_PI / 12) - mean2;
  return static_cast<double>(ranges) * mean2 / (2 * (2 - mean2 + 2 * neighbours));
}

Capability capability_of(const ExactSums& sums, int digits, const Specification& spec, double sigma_within,
                         double df_within, double confidence) {
  Capability c;
  start(c, sums, digits, sigma_within);
  if (enough(c)) add_normal(c, spec, df_within, confidence);
  return c;
}

Capability capability_of(std::vector<std::int64_t> counts, int digits, const Specification& spec,
                         double sigma_within, double df_within, Distribution distribution, double confidence,
                         double least_fit_p) {
  Capability c;
  c.distribution = distribution;
  start(c, sums_of(counts), digits, sigma_within);
  if (!enough(c)) return c;
  std::sort(counts.begin(), counts.end());
  std::vector<double> values;
  for (const std::int64_t count : counts) values.push_back(ratio(count, 1, digits));
  if (distribution == Distribution::normal) {
    add_fit(c, values, c.mean, c.s);
    add_normal(c, spec, df_within, confidence);
    if (c.fit_p && *c.fit_p < least_fit_p)
      c.notes.push_back(
          fmt::format("values are not normal (Anderson-Darling p {:.3g} below {:g}): indices mislead; "
                      "--distribution lognormal or empirical",
                      *c.fit_p, least_fit_p));
  } else if (distribution == Distribution::lognormal) {
    if (counts.front() <= 0) {
      c.notes.emplace_back("a value is not above 0: no lognormal distribution, no index");
      return c;
    }
    for (double& v : values) v = std::log(v);
    double mean = 0, square = 0;
    for (const double v : values) mean += v / static_cast<double>(c.n);
    for (const double v : values) square += (v - mean) * (v - mean);
    const double s = std::sqrt(square / static_cast<double>(c.n - 1));
    add_fit(c, values, mean, s);
    if (c.fit_p && *c.fit_p < least_fit_p) {
      c.notes.push_back(
          fmt::format("values are not lognormal (Anderson-Darling p {:.3g} below {:g}): no index", *c.fit_p,
                      least_fit_p));
      return c;
    }
    const double tail = normal_quantile(1 - low_tail);
    add_quantiles(c, spec, std::exp(mean - tail * s), std::exp(mean), std::exp(mean + tail * s));
  } else if (c.n < least_empirical) {
    c.notes.push_back(fmt::format("{} values: empirical quantiles need {}; no index", c.n, least_empirical));
  } else {
    const auto at = [&](double p) {
      return values[static_cast<std::size_t>(
          std::clamp(std::ceil(p * static_cast<double>(c.n)) - 1, 0.0, static_cast<double>(c.n - 1)))];
    };
    add_quantiles(c, spec, at(low_tail), at(0.5), at(1 - low_tail));
  }
  return c;
}

void add_guarded(Capability& c, const Specification& spec, double k, double u, double confidence) {
  if (!c.ppk) return;  // its own note says why
  const double g = k * u;
  if (!(u > 0) || !std::isfinite(g)) {
    c.notes.push_back(fmt::format("values state the uncertainty u {}: no Ppk_gb", u));
    return;
  }
  c.guard_band = g;
  Specification inner = spec;
  if (inner.lower) *inner.lower += g;
  if (inner.upper) *inner.upper -= g;
  if (inner.lower && inner.upper && !(*inner.lower < *inner.upper)) {
    c.notes.push_back(fmt::format(
        "the guard band {:.6f} (k {:g}, u {:.6f}) leaves nothing between the limits: no Ppk_gb", g, k, u));
    return;
  }
  if (c.low) {
    if (const auto index = nearest(inner, *c.middle, *c.middle - *c.low, *c.high - *c.middle))
      c.ppk_gb = Index{*index, {}, {}};
  } else if (const auto index = nearest(inner, c.mean, 3 * c.s, 3 * c.s)) {
    const double n = static_cast<double>(c.n);
    c.ppk_gb = bissell(*index, n, n - 1, confidence);
  }
}

}  // namespace datum::quality
