#include <algorithm>
#include <utility>

#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"
#include "gpu/lu/lu.h"
#include "gpu/lu/lu_check.h"
#include "gpu/lu/lu_kernels.h"
#include "gpu/lu/lu_math.h"

namespace datum {
namespace {

using lu::fused;

/// y = L^-1 b, x = U^-1 y: both by columns, so that lanes run along rows.
template <class T>
DATUM_HD void solve_one(const T* f, std::size_t n, std::size_t leading, T* b) {
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const T y = b[k];
    const T* const l = f + k * leading;
    for (std::size_t i = k + 1; i < n; ++i) b[i] = fused(-l[i], y, b[i]);
  }
  for (std::size_t k = n; k-- > 0;) {
    const T* const u = f + k * leading;
    const T x = b[k] / u[k];
    b[k] = x;
    for (std::size_t i = 0; i < k; ++i) b[i] = fused(-u[i], x, b[i]);
  }
}

/// y = U'^-1 b, x = L'^-1 y.
template <class T>
DATUM_HD void solve_transposed(const T* f, std::size_t n, std::size_t leading, T* b) {
  for (std::size_t k = 0; k < n; ++k) {
    const T* const u = f + k * leading;
    T y = b[k];
    for (std::size_t i = 0; i < k; ++i) y = fused(-u[i], b[i], y);
    b[k] = y / u[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    const T* const l = f + k * leading;
    T x = b[k];
    for (std::size_t i = n - 1; i > k; --i) x = fused(-l[i], b[i], x);
    b[k] = x;
  }
}

constexpr std::uint32_t few = 4;     // columns: below, a product of matrices is not worth its packing
constexpr std::uint32_t slice = 48;  // columns for a thread at a time, a multiple of every tile's

/// Many columns at a time, by products of matrices: the same operations on each element in the same order.
template <class T>
void solve_many(const T* f, std::uint32_t n, std::uint32_t leading, const std::int32_t* pivots, T* b,
                std::uint32_t columns, std::uint32_t leading_b, const Backend& backend) {
  const lu::Kernels<T>& loops = lu::kernels<T>(backend.isa);
  parallel_for(backend.threads, (columns + slice - 1) / slice, [&](std::size_t i, unsigned) {
    const auto at = static_cast<std::uint32_t>(i) * slice, here = std::min(slice, columns - at);
    T* const mine = b + at * std::size_t{leading_b};
    loops.exchange(mine, here, leading_b, 0, n, pivots);
    loops.solve_lower(f, leading, n, mine, here, leading_b);
    loops.solve_upper(f, leading, n, mine, here, leading_b);
  });
}

}  // namespace

template <class T>
void lu_solve(const T* factors, std::uint32_t n, std::uint32_t leading, const std::int32_t* pivots, T* b,
              std::uint32_t columns, std::uint32_t leading_b, const Backend& backend, bool transposed) {
  lu::check_matrix(factors, n, leading, "the factors");
  lu::check_present(pivots, n, "the list of pivots");
  if (columns > 0) lu::check_matrix(b, n, leading_b, "the right-hand sides");
  if (!transposed && columns >= few)
    return solve_many(factors, n, leading, pivots, b, columns, leading_b, backend);
  for (std::uint32_t j = 0; j < columns; ++j) {
    T* const column = b + j * std::size_t{leading_b};
    if (!transposed)
      for (std::uint32_t k = 0; k < n; ++k) std::swap(column[k], column[pivots[k] - 1]);
    vector_loop(backend.isa, [&]() DATUM_VECTOR_LOOP {
      if (transposed) {
        solve_transposed(factors, n, leading, column);
      } else {
        solve_one(factors, n, leading, column);
      }
    });
    if (transposed)
      for (std::uint32_t k = n; k-- > 0;) std::swap(column[k], column[pivots[k] - 1]);
  }
}

template void lu_solve(const float*, std::uint32_t, std::uint32_t, const std::int32_t*, float*, std::uint32_t,
                       std::uint32_t, const Backend&, bool);
template void lu_solve(const double*, std::uint32_t, std::uint32_t, const std::int32_t*, double*,
                       std::uint32_t, std::uint32_t, const Backend&, bool);

}  // namespace datum
