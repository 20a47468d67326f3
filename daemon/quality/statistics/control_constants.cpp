#include "daemon/quality/statistics/control_constants.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <map>
#include <stdexcept>

namespace datum::quality {
namespace {

double phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// P(range of n > w) = 1 - n integral of density(x) (phi(x + w) - phi(x))^(n - 1), by the trapezoidal rule: the integrand and all its
/// derivatives vanish at both ends, so that the error is below double's resolution at this step.
double range_above(double w, int n) {
  constexpr double step = 0.1, end = 9;
  double sum = 0;
  for (int i = 0; i <= static_cast<int>(2 * end / step); ++i) {
    const double x = -end + i * step;
    sum += std::exp(-x * x / 2) * std::pow(phi(x + w) - phi(x), n - 1);
  }
  return 1 - n * sum * step / std::sqrt(2 * M_PI);
}

RangeConstants computed(int n) {
  // Mean and mean square of the range: integrals of P(> w) and 2 w P(> w), by Gauss's rule over pieces of one sigma, in which both are
  // smooth: no digit is lost beyond double's own.
  using Rule = boost::math::quadrature::gauss<double, 15>;
  constexpr int end = 16;
  double mean = 0, square = 0;
  for (int k = 0; k < end; ++k) {
    mean += Rule::integrate([n](double w) { return range_above(w, n); }, k, k + 1);
    square += Rule::integrate([n](double w) { return 2 * w * range_above(w, n); }, k, k + 1);
  }
  return {mean, std::sqrt(square - mean * mean)};
}

double s_spread(double n) { return 3 * std::sqrt(1 - c4(n) * c4(n)) / c4(n); }

}  // namespace

double c4(double n) {
  return std::sqrt(2 / (n - 1)) * std::exp(std::lgamma(n / 2) - std::lgamma((n - 1) / 2));
}

double RangeConstants::lower_factor() const { return std::max(0.0, 1 - 3 * d3 / d2); }
double RangeConstants::upper_factor() const { return 1 + 3 * d3 / d2; }
double RangeConstants::single() const { return std::sqrt(d2 * d2 + d3 * d3); }

RangeConstants range_constants(int n) {
  if (n < 2) throw std::invalid_argument("a range needs two values");
  thread_local std::map<int, RangeConstants> known;
  const auto found = known.find(n);
  return found != known.end() ? found->second : known.emplace(n, computed(n)).first->second;
}

double s_lower_factor(double n) { return std::max(0.0, 1 - s_spread(n)); }
double s_upper_factor(double n) { return 1 + s_spread(n); }

}  // namespace datum::quality
