#include <algorithm>
#include <limits>
#include <numeric>

#include "gpu/core/parallel_for.h"
#include "gpu/lu/lu.h"
#include "gpu/lu/lu_check.h"
#include "gpu/lu/lu_kernels.h"

namespace datum {
namespace {

/// What is left of a matrix that is not finite: nothing that could be taken for factors.
template <class T>
void blank(T* a, std::uint32_t n, std::uint32_t leading, std::int32_t* pivots) {
  for (std::uint32_t j = 0; j < n; ++j)
    std::fill(a + j * std::size_t{leading}, a + j * std::size_t{leading} + n,
              std::numeric_limits<T>::quiet_NaN());
  std::iota(pivots, pivots + n, 1);
}

constexpr std::uint32_t narrow = 128;  // columns: below, waking a thread costs more than it saves

/// Halves as in lu_loops.cpp; what lies right of the left half is cut into slices, one after the other for each thread.
template <class T>
std::int32_t factor_wide(const lu::Kernels<T>& loops, T* a, std::uint32_t rows, std::uint32_t columns,
                         std::uint32_t leading, std::int32_t* pivots, unsigned threads) {
  if (columns <= narrow || threads == 1) return loops.factor(a, rows, columns, leading, pivots);
  const std::uint32_t half = (columns / 2 + 7) / 8 * 8, rest = columns - half;
  const std::int32_t first = factor_wide(loops, a, rows, half, leading, pivots, threads);
  if (first < 0) return first;
  T* const right = a + half * std::size_t{leading};
  const std::uint32_t slice = std::max(48u, (rest / (2 * threads) + 7) / 8 * 8);
  parallel_for(threads, (rest + slice - 1) / slice, [&](std::size_t i, unsigned) {
    const std::uint32_t at = static_cast<std::uint32_t>(i) * slice, here = std::min(slice, rest - at);
    T* const b = right + at * std::size_t{leading};
    loops.exchange(b, here, leading, 0, half, pivots);
    loops.solve_lower(a, leading, half, b, here, leading);
    loops.subtract({a + half, b, b + half, rows - half, half, here, leading, leading});
  });
  const std::int32_t second =
      factor_wide(loops, right + half, rows - half, rest, leading, pivots + half, threads);
  if (second < 0) return second - static_cast<std::int32_t>(half);
  for (std::uint32_t k = half; k < columns; ++k) pivots[k] += static_cast<std::int32_t>(half);
  loops.exchange(a, half, leading, half, columns, pivots);
  return first != 0 ? first : (second != 0 ? second + static_cast<std::int32_t>(half) : 0);
}

template <class T>
std::int32_t factor_one(const lu::Kernels<T>& loops, T* a, std::uint32_t n, std::uint32_t leading,
                        std::int32_t* pivots, unsigned threads) {
  const std::int32_t info = factor_wide(loops, a, n, n, leading, pivots, threads);
  if (info < 0) blank(a, n, leading, pivots);
  return info;
}

}  // namespace

template <class T>
std::int32_t lu_factor(T* a, std::uint32_t n, std::uint32_t leading, std::int32_t* pivots,
                       const Backend& backend) {
  lu::check_matrix(a, n, leading, "the matrix");
  lu::check_present(pivots, n, "the list of pivots");
  return factor_one(lu::kernels<T>(backend.isa), a, n, leading, pivots, backend.threads);
}

template <class T>
void lu_factor_batch(T* a, std::uint32_t n, std::size_t batch, std::int32_t* pivots, std::int32_t* info,
                     const Backend& backend) {
  lu::check_present(a, n * batch, "the batch of matrices");
  lu::check_present(pivots, n * batch, "the list of pivots");
  lu::check_present(info, batch, "the list of infos");
  const lu::Kernels<T>& loops = lu::kernels<T>(backend.isa);
  parallel_for(backend.threads, batch, [&](std::size_t i, unsigned) {
    info[i] = factor_one(loops, a + i * n * n, n, n, pivots + i * n, 1);
  });
}

template std::int32_t lu_factor(float*, std::uint32_t, std::uint32_t, std::int32_t*, const Backend&);
template std::int32_t lu_factor(double*, std::uint32_t, std::uint32_t, std::int32_t*, const Backend&);
template void lu_factor_batch(float*, std::uint32_t, std::size_t, std::int32_t*, std::int32_t*,
                              const Backend&);
template void lu_factor_batch(double*, std::uint32_t, std::size_t, std::int32_t*, std::int32_t*,
                              const Backend&);

}  // namespace datum
