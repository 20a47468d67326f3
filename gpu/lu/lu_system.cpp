#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu/core/double_double.h"
#include "gpu/core/vector_loop.h"
#include "gpu/lu/lu.h"
#include "gpu/lu/lu_check.h"
#include "gpu/lu/lu_math.h"

namespace datum {
namespace {

constexpr std::uint32_t most_refinements = 5;

template <class T>
double row_sum_norm(const std::vector<T>& a, std::uint32_t n) {
  std::vector<double> sums(n, 0.0);
  for (std::size_t at = 0; at < a.size(); ++at) sums[at % n] += std::fabs(static_cast<double>(a[at]));
  return lu::largest_of(sums);
}

/// r = b - A x, each element's terms in ascending columns, rounded once at the end. Products of floats are exact in double.
void residual(Isa isa, const float* a, std::size_t n, const float* b, const float* x, float* r) {
  std::vector<double> sum(b, b + n);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    double* const s = sum.data();
    for (std::size_t j = 0; j < n; ++j) {
      const double xj = x[j];
      const float* const column = a + j * n;
      for (std::size_t i = 0; i < n; ++i) s[i] = ::fma(-static_cast<double>(column[i]), xj, s[i]);
    }
  });
  for (std::size_t i = 0; i < n; ++i) r[i] = static_cast<float>(sum[i]);
}

void residual(Isa isa, const double* a, std::size_t n, const double* b, const double* x, double* r) {
  std::vector<double> rest(n, 0.0);
  std::copy(b, b + n, r);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    double* const low = rest.data();
    for (std::size_t j = 0; j < n; ++j) {
      const double* const column = a + j * n;
      const double xj = x[j];
      for (std::size_t i = 0; i < n; ++i) {
        const double p = -column[i] * xj;
        const DoubleDouble s = two_sum(r[i], p);
        r[i] = s.high;
        low[i] += s.low + ::fma(-column[i], xj, -p);
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) r[i] += rest[i];
}

}  // namespace

template <class T>
LuSystem<T>::LuSystem(const T* a, std::uint32_t n, const Backend& backend)
    : n_(n), pivots_(n), info_(0), backend_(backend), norm_infinity_(0) {
  lu::check_present(a, n, "the matrix");
  a_.assign(a, a + std::size_t{n} * n);
  factors_ = a_;
  info_ = lu_factor(factors_.data(), n_, n_, pivots_.data(), backend_);
  norm_infinity_ = row_sum_norm(a_, n_);
}

template <class T>
LuSystem<T>::LuSystem(const T* a, std::uint32_t n, std::vector<T> factors, std::vector<std::int32_t> pivots,
                      std::int32_t info, const Backend& backend)
    : n_(n), factors_(std::move(factors)), pivots_(std::move(pivots)), info_(info), backend_(backend) {
  lu::check_present(a, n, "the matrix");
  if (factors_.size() != std::size_t{n} * n || pivots_.size() != n)
    throw std::invalid_argument("LU: factors and pivots do not have the matrix's size");
  a_.assign(a, a + std::size_t{n} * n);
  norm_infinity_ = row_sum_norm(a_, n_);
}

template <class T>
void LuSystem<T>::solve_with_factors(T* b, bool transposed) const {
  lu_solve(factors_.data(), n_, n_, pivots_.data(), b, 1, n_, backend_, transposed);
}

template <class T>
void LuSystem<T>::solve_plain(T* b, std::uint32_t columns) const {
  require_ok();
  lu_solve(factors_.data(), n_, n_, pivots_.data(), b, columns, n_, backend_);
}

template <class T>
void LuSystem<T>::require_ok() const {
  if (info_ != 0)
    throw std::logic_error("LU: the matrix is " + std::string(name_of(status())) + " at pivot " +
                           std::to_string(std::abs(info_)) + "; nothing can be solved with it");
}

template <class T>
LuAnswer LuSystem<T>::solve(const T* b, T* x) const {
  require_ok();
  lu::check_present(b, n_, "the right-hand side");
  lu::check_present(x, n_, "the solution");
  const std::vector<T> right(b, b + n_);
  std::vector<T> best(right), r(n_);
  LuAnswer answer;
  solve_with_factors(best.data(), false);
  const auto error_of = [&](const std::vector<T>& y) {
    residual(backend_.isa, a_.data(), n_, b, y.data(), r.data());
    const double scale = norm_infinity_ * lu::largest_of(y) + lu::largest_of(right);
    return scale > 0 ? lu::largest_of(r) / scale : lu::largest_of(r);
  };
  answer.backward_error = error_of(best);
  while (answer.refinements < most_refinements && answer.backward_error > 0) {
    std::vector<T> next = r;
    solve_with_factors(next.data(), false);
    const double correction = lu::largest_of(next);
    for (std::uint32_t i = 0; i < n_; ++i) next[i] += best[i];
    const double error = error_of(next);
    if (!(error < answer.backward_error)) break;
    const bool slow = error > answer.backward_error / 2;
    best = next;
    answer.backward_error = error;
    answer.largest_correction = correction;
    ++answer.refinements;
    if (slow) break;
  }
  std::copy(best.begin(), best.end(), x);
  return answer;
}

template class LuSystem<float>;
template class LuSystem<double>;

}  // namespace datum
