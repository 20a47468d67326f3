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

template <class T>
std::int32_t factor_one(const lu::Kernels<T>& loops, T* a, std::uint32_t n, std::uint32_t leading,
                        std::int32_t* pivots) {
  const std::int32_t info = loops.factor(a, n, n, leading, pivots);
  if (info < 0) blank(a, n, leading, pivots);
  return info;
}

}  // namespace

template <class T>
std::int32_t lu_factor(T* a, std::uint32_t n, std::uint32_t leading, std::int32_t* pivots,
                       const Backend& backend) {
  lu::check_matrix(a, n, leading, "the matrix");
  lu::check_present(pivots, n, "the list of pivots");
  return factor_one(lu::kernels<T>(backend.isa), a, n, leading, pivots);
}

template <class T>
void lu_factor_batch(T* a, std::uint32_t n, std::size_t batch, std::int32_t* pivots, std::int32_t* info,
                     const Backend& backend) {
  lu::check_present(a, n * batch, "the batch of matrices");
  lu::check_present(pivots, n * batch, "the list of pivots");
  lu::check_present(info, batch, "the list of infos");
  const lu::Kernels<T>& loops = lu::kernels<T>(backend.isa);
  parallel_for(backend.threads, batch, [&](std::size_t i, unsigned) {
    info[i] = factor_one(loops, a + i * n * n, n, n, pivots + i * n);
  });
}

template std::int32_t lu_factor(float*, std::uint32_t, std::uint32_t, std::int32_t*, const Backend&);
template std::int32_t lu_factor(double*, std::uint32_t, std::uint32_t, std::int32_t*, const Backend&);
template void lu_factor_batch(float*, std::uint32_t, std::size_t, std::int32_t*, std::int32_t*,
                              const Backend&);
template void lu_factor_batch(double*, std::uint32_t, std::size_t, std::int32_t*, std::int32_t*,
                              const Backend&);

}  // namespace datum
