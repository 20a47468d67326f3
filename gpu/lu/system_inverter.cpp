#include "gpu/lu/system_inverter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "gpu/core/vector_loop.h"
#include "gpu/lu/lu_check.h"
#include "gpu/lu/lu_math.h"

namespace datum {
namespace {

/// The forward substitution, as a column of the matrix meets it.
void substitute_forward(Isa isa, const double* factors, std::size_t n, double* x) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    for (std::size_t k = 0; k + 1 < n; ++k) {
      const double u = x[k];
      const double* const l = factors + k * n;
      for (std::size_t i = k + 1; i < n; ++i) x[i] = lu::fused(-l[i], u, x[i]);
    }
  });
}

bool same(const std::vector<double>& x, const double* y) {
  return std::memcmp(x.data(), y, x.size() * sizeof x[0]) == 0;
}

}  // namespace

std::int32_t invert_system(const SystemToInvert& s, const Backend& backend) {
  const std::size_t size = std::size_t{s.n} * s.n;
  lu::check_present(s.a, size, "the matrix");
  lu::check_present(s.factors, size, "the factors' memory");
  lu::check_present(s.inverse, size, "the inverse's memory");
  std::copy(s.a, s.a + size, s.factors);
  const std::int32_t info = lu_factor(s.factors, s.n, s.n, s.pivots, backend);
  if (info != 0) return info;
  std::fill(s.inverse, s.inverse + size, 0.0);
  for (std::size_t i = 0; i < s.n; ++i) s.inverse[i * s.n + i] = 1;
  lu_solve(s.factors, s.n, s.n, s.pivots, s.inverse, s.n, s.n, backend);
  return 0;
}

bool contradicts(const SystemToInvert& s, std::int32_t info, const Backend& backend) {
  const auto n = static_cast<std::int32_t>(s.n);
  if (info < -n || info > n) return true;
  for (std::int32_t k = 0; k < n; ++k)
    if (info < 0 ? s.pivots[k] != k + 1 : s.pivots[k] <= k || s.pivots[k] > n) return true;
  const std::size_t size = std::size_t{s.n} * s.n;
  if (info < 0) return !std::all_of(s.factors, s.factors + size, [](double v) { return std::isnan(v); });
  if (n == 0) return false;
  const std::size_t last = size - s.n;
  std::vector<double> x(s.a + last, s.a + size);
  for (std::int32_t k = 0; k < n; ++k) std::swap(x[k], x[s.pivots[k] - 1]);
  substitute_forward(backend.isa, s.factors, s.n, x.data());
  if (!same(x, s.factors + last)) return true;
  if (info > 0) return s.factors[(info - 1) * (s.n + std::size_t{1})] != 0;
  std::fill(x.begin(), x.end(), 0.0);
  x.back() = 1;
  lu_solve(s.factors, s.n, s.n, s.pivots, x.data(), 1, s.n, backend);
  return !same(x, s.inverse + last);
}

}  // namespace datum
