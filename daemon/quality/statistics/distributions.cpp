#include "daemon/quality/statistics/distributions.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

namespace datum::quality {

namespace bm = boost::math;

double normal_cdf(double z) { return bm::cdf(bm::normal(), z); }
double normal_quantile(double p) { return bm::quantile(bm::normal(), p); }
double t_quantile(double p, double df) { return bm::quantile(bm::students_t(df), p); }
double t_two_sided(double t, double df) {
  return std::isinf(t) ? 0 : 2 * bm::cdf(bm::complement(bm::students_t(df), std::abs(t)));
}
double f_upper(double f, double df1, double df2) {
  return std::isinf(f) ? 0 : bm::cdf(bm::complement(bm::fisher_f(df1, df2), f));
}
double f_quantile(double p, double df1, double df2) { return bm::quantile(bm::fisher_f(df1, df2), p); }
double chi2_cdf(double x, double df) { return bm::cdf(bm::chi_squared(df), x); }
double chi2_quantile(double p, double df) { return bm::quantile(bm::chi_squared(df), p); }

Bounds clopper_pearson(std::uint64_t k, std::uint64_t n, double confidence) {
  const double tail = (1 - confidence) / 2, good = static_cast<double>(k), all = static_cast<double>(n);
  return {k == 0 ? 0 : bm::quantile(bm::beta_distribution<>(good, all - good + 1), tail),
          k == n ? 1 : bm::quantile(bm::beta_distribution<>(good + 1, all - good), 1 - tail)};
}

Bounds noncentrality(double t, double df, double confidence) {
  // The cdf falls with the noncentrality, whose estimate t has a standard deviation of about sqrt(1 + t^2 / 2 df).
  const auto solved = [&](double p) {
    const auto excess = [&](double delta) {
      return delta == 0 ? bm::cdf(bm::students_t(df), t) - p : bm::cdf(bm::non_central_t(df, delta), t) - p;
    };
    const double width = 20 * std::sqrt(1 + t * t / (2 * df));
    std::uintmax_t most = 200;
    const auto root =
        bm::tools::toms748_solve(excess, t - width, t + width, bm::tools::eps_tolerance<double>(45), most);
    return (root.first + root.second) / 2;
  };
  return {solved(1 - (1 - confidence) / 2), solved((1 - confidence) / 2)};
}

}  // namespace datum::quality
