// The condition number's estimate and what else a factored matrix says of itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/lu/lu.h"
#include "gpu/lu/lu_check.h"

namespace datum {
namespace {

template <class T>
double sum_of(const std::vector<T>& v) {
  double sum = 0;
  for (const T x : v) sum += std::fabs(static_cast<double>(x));
  return sum;
}

/// Largest |u_ij|.
template <class T>
double largest_of_upper(const std::vector<T>& factors, std::uint32_t n) {
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i <= j; ++i)
      largest = std::max(largest, std::fabs(static_cast<double>(factors[i + j * n])));
  return largest;
}

template <class T>
std::uint32_t place_of_largest(const std::vector<T>& v) {
  std::uint32_t place = 0;
  for (std::uint32_t i = 1; i < v.size(); ++i)
    if (std::fabs(v[i]) > std::fabs(v[place])) place = i;
  return place;
}

/// ||A^-1||_1 from below: Hager's walk along the corners of the 1-norm's ball, at most five of them, and the vector of
/// alternating signs that exposes what the walk may miss (Higham, ACM Trans. Math. Softw. 14, 1988, algorithm 4.1).
/// solve(v, transposed) overwrites v.
template <class T, class Solve>
double inverse_norm_one(std::uint32_t n, const Solve& solve) {
  std::vector<T> x(n, T{1} / static_cast<T>(n));
  solve(x, false);
  if (n == 1) return std::fabs(static_cast<double>(x[0]));
  double estimate = sum_of(x);
  std::vector<T> sign(n), before(n, T{0});
  std::uint32_t corner = n;
  for (int step = 0; step < 5; ++step) {
    for (std::uint32_t i = 0; i < n; ++i) sign[i] = std::signbit(x[i]) ? T{-1} : T{1};
    if (sign == before) break;
    before = sign;
    std::vector<T> slope = sign;
    solve(slope, true);
    const std::uint32_t next = place_of_largest(slope);
    if (next == corner) break;
    corner = next;
    std::fill(x.begin(), x.end(), T{0});
    x[corner] = T{1};
    solve(x, false);
    const double here = sum_of(x);
    if (!(here > estimate)) break;
    estimate = here;
  }
  for (std::uint32_t i = 0; i < n; ++i)
    x[i] = (i % 2 == 0 ? T{1} : T{-1}) * (T{1} + static_cast<T>(i) / static_cast<T>(n - 1));
  solve(x, false);
  return std::max(estimate, 2 * sum_of(x) / (3.0 * n));
}

}  // namespace

template <class T>
LuHealth LuSystem<T>::health(LuEstimate estimate) const {
  LuHealth h;
  h.norm_infinity = norm_infinity_;
  for (std::size_t j = 0; j < n_; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += std::fabs(static_cast<double>(a_[i + j * n_]));
    h.norm_one = std::max(h.norm_one, sum);
  }
  if (status() == LuStatus::not_finite) {
    h.growth = h.condition = h.norm_one = h.norm_infinity = std::numeric_limits<double>::quiet_NaN();
    return h;
  }
  const double largest = lu::largest_of(a_);
  h.growth = largest > 0 ? largest_of_upper(factors_, n_) / largest : 1;
  if (status() == LuStatus::singular) {
    h.condition = std::numeric_limits<double>::infinity();
  } else if (n_ > 0 && estimate == LuEstimate::with_condition) {
    h.condition = h.norm_one * inverse_norm_one<T>(n_, [this](std::vector<T>& v, bool t) {
                    solve_with_factors(v.data(), t);
                  });
  }
  return h;
}

template LuHealth LuSystem<float>::health(LuEstimate) const;
template LuHealth LuSystem<double>::health(LuEstimate) const;

}  // namespace datum
