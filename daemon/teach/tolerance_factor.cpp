#include "daemon/teach/tolerance_factor.h"

#include <cmath>
#include <stdexcept>

#include "daemon/inspection/verdict/normal.h"

namespace datum::teach {
namespace {

/// Regularised lower incomplete gamma function P(a, x) by its series (Abramowitz and Stegun 6.5.29).
double gamma_share(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < 10'000 && term > sum * 1e-17; ++n) sum += term *= x / (a + n);
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double chi_squared_quantile(double p, double freedom) {
  if (!(p > 0 && p < 1 && freedom > 0)) throw std::invalid_argument("chi_squared_quantile: p or freedom");
  // In the logarithm, since the quantile of one degree at a small p is tiny.
  double low = std::log(1e-300), high = std::log(freedom + 60 * std::sqrt(freedom) + 100);
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (gamma_share(freedom / 2, std::exp(middle) / 2) < p ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

double tolerance_factor(int n, double share, double confidence) {
  if (n < 2) throw std::invalid_argument("tolerance_factor: one value has no spread");
  const double freedom = n - 1;
  return normal_quantile((1 + share) / 2) *
         std::sqrt(freedom * (1 + 1.0 / n) / chi_squared_quantile(1 - confidence, freedom));
}

double median_deviation_factor(int n) {
  if (n < 2) throw std::invalid_argument("median_deviation_factor: one value has no spread");
  return std::sqrt(chi_squared_quantile(0.5, n - 1) / (n - 1));
}

}  // namespace datum::teach
