#include "daemon/quality/study/reference_studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/quality/statistics/distributions.h"

namespace datum::quality {
namespace {

void demand(std::uint64_t n, std::uint64_t least, const char* what) {
  if (n < least) throw StudyRefused(fmt::format("{} of {}: at least {} are needed", n, what, least));
}

}  // namespace

Type1 type1_study(std::span<const std::int64_t> counts, int digits, const Type1Settings& o) {
  const ExactSums sums = sums_of(counts);
  demand(sums.n, 25, "readings of a type 1 study");
  Type1 r;
  r.n = sums.n;
  r.mean = sums.mean(digits);
  r.s = std::sqrt(sums.variance(digits));
  r.bias = r.mean - o.reference;
  if (r.s > 0) {
    r.cg = o.percent / 100 * o.tolerance / (o.sigmas * r.s);
    r.cgk = (o.percent / 200 * o.tolerance - std::abs(r.bias)) / (o.sigmas / 2 * r.s);
    r.t = std::abs(r.bias) / (r.s / std::sqrt(static_cast<double>(r.n)));
    r.p = t_two_sided(*r.t, static_cast<double>(r.n - 1));
  }
  if (o.resolution) r.resolution_percent = 100 * *o.resolution / o.tolerance;
  return r;
}

Bias bias_study(std::span<const std::int64_t> counts, int digits, double reference, double u_reference,
                double confidence) {
  const ExactSums sums = sums_of(counts);
  demand(sums.n, 10, "readings of a bias study");
  Bias r;
  r.n = sums.n;
  r.mean = sums.mean(digits);
  r.s = std::sqrt(sums.variance(digits));
  r.bias = r.mean - reference;
  const double df = static_cast<double>(r.n - 1), of_mean = r.s / std::sqrt(static_cast<double>(r.n));
  const double half = t_quantile((1 + confidence) / 2, df) * of_mean;
  r.interval = {r.bias - half, r.bias + half};
  if (of_mean > 0) {
    r.t = r.bias / of_mean;
    r.p = t_two_sided(*r.t, df);
  }
  r.u = std::hypot(of_mean, u_reference);
  r.normalised = r.u > 0 ? r.bias / r.u : 0;
  return r;
}

bool Linearity::kept() const {
  return std::all_of(bands.begin(), bands.end(), [](const LinearityBand& b) { return b.holds_zero(); }) &&
         (!t_slope || *t_slope <= t_limit) && (!t_intercept || *t_intercept <= t_limit);
}

Linearity bias_regression(const std::vector<Master>& masters, int digits, double confidence) {
  int d = digits;
  for (const Master& m : masters) d = std::max(d, m.reference.digits);
  // All counts of 10^-d: sums of x, x^2, y, x y, y^2 are integers.
  Integer n = 0, x = 0, xx = 0, y = 0, xy = 0, yy = 0;
  for (const Master& m : masters) {
    const Integer at = count_at(m.reference, d);
    for (const std::int64_t count : m.counts) {
      const Integer bias = Integer(count_at({count, digits}, d)) - at;
      n += 1;
      x += at;
      xx += at * at;
      y += bias;
      xy += at * bias;
      yy += bias * bias;
    }
  }
  const Integer sxx = n * xx - x * x, sxy = n * xy - x * y,
                syy = n * yy - y * y;  // n times the sums of squares
  if (n < 3 || sxx == 0)
    throw StudyRefused("a line through biases needs three readings, and masters of different references");
  Linearity r;
  r.n = n.convert_to<std::uint64_t>();
  const double count = static_cast<double>(r.n), df = count - 2;
  r.slope = ratio(sxy, sxx);
  // (sum y - slope sum x) / n over one denominator
  const double mean_x = ratio(x, n, d), mean_y = ratio(y, n, d);
  r.intercept = mean_y - r.slope * mean_x;
  // Rounded to doubles the residual's sum cancels; 256 bits do not hold sxx syy of large values, long doubles have digits to spare.
  const long double lxx = sxx.convert_to<long double>(), lxy = sxy.convert_to<long double>();
  const double scale = std::pow(10.0, 2 * d);
  const double residual =
      std::max(0.0, static_cast<double>((syy.convert_to<long double>() - lxy * (lxy / lxx)) /
                                        static_cast<long double>(count)) /
                        scale);
  r.s = std::sqrt(residual / df);
  const double spread = ratio(sxx, n, 2 * d);
  r.r2 = syy == 0 ? 0 : static_cast<double>(lxy / lxx * (lxy / syy.convert_to<long double>()));
  r.u_slope = r.s / std::sqrt(spread);
  r.u_intercept = r.s * std::sqrt(1 / count + mean_x * mean_x / spread);
  r.t_limit = t_quantile((1 + confidence) / 2, df);
  if (r.s > 0) {
    r.t_slope = std::abs(r.slope) / r.u_slope;
    r.t_intercept = std::abs(r.intercept) / r.u_intercept;
    r.p_slope = t_two_sided(*r.t_slope, df);
    r.p_intercept = t_two_sided(*r.t_intercept, df);
  }
  for (const Master& m : masters) {
    const double at = ratio(count_at(m.reference, d), 1, d), off = at - mean_x;
    r.bands.push_back(
        {at, r.intercept + r.slope * at, r.t_limit * r.s * std::sqrt(1 / count + off * off / spread)});
  }
  return r;
}

Linearity linearity_study(const std::vector<Master>& masters, int digits, double confidence) {
  demand(masters.size(), 3, "masters of a linearity study");
  for (const Master& m : masters) demand(m.counts.size(), 2, "readings of a master of a linearity study");
  return bias_regression(masters, digits, confidence);
}

}  // namespace datum::quality
