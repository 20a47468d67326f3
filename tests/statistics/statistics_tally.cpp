#include "tests/statistics/statistics_tally.h"

#include <algorithm>
#include <cmath>

namespace datum::statistics {

void Tally::operator+=(const Tally& t) {
  cases += t.cases;
  invalid += t.invalid;
  outside += t.outside;
  at_limit += t.at_limit;
  at_limit_passed += t.at_limit_passed;
  beyond += t.beyond;
  beyond_passed += t.beyond_passed;
  error += t.error;
  error2 += t.error2;
  worst = std::max(worst, t.worst);
  u += t.u;
  for (const auto& [reason, n] : t.reasons) reasons[reason] += n;
  for (const auto& [name, square] : t.terms) terms[name] += square;
}

double Tally::bias_error() const {
  const double n = accepted();
  return n > 1 ? std::sqrt(std::max(0.0, error2 / n - bias() * bias()) / (n - 1)) : 0;
}

double binomial_tail(int n, int x, double p) {
  if (x <= 0) return 1;
  if (x > n || p <= 0) return 0;
  if (p >= 1) return 1;
  double tail = 0;
  for (int k = x; k <= n; ++k)
    tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                     k * std::log(p) + (n - k) * std::log1p(-p));
  return tail;
}

std::string shortfall(const Tally& t, const Wanted& wanted, double alpha) {
  std::string text;
  const auto add = [&](bool is_short, const char* word) {
    if (is_short) text += (text.empty() ? "" : ", ") + std::string(word);
  };
  add(binomial_tail(t.accepted(), t.outside, wanted.outside) < alpha, "outside U");
  add(binomial_tail(t.at_limit, t.at_limit_passed, wanted.at_limit) < alpha, "PASS at the limit");
  add(1 - binomial_tail(t.accepted(), t.outside + 1, wanted.outside_least) < alpha, "U too large");
  add(t.beyond_passed > 0, "PASS at 1.25");
  add(binomial_tail(t.cases, t.invalid, wanted.invalid_most) < alpha, "INVALID");
  add(binomial_tail(t.cases, t.accepted(), 1 - wanted.invalid_least) < alpha, "accepted");
  add(t.accepted() > 0 && std::abs(t.bias()) > wanted.bias_um + 4 * t.bias_error(), "bias");
  return text;
}

}  // namespace datum::statistics
