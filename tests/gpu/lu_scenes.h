// Matrices for the LU factorisation, and the three plain loops that define its bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/lu/lu.h"
#include "gpu/lu/lu_math.h"

namespace datum::testing {

template <class T>
struct Factored {
  std::vector<T> lu;
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;

  std::string bytes() const {
    std::string b(reinterpret_cast<const char*>(lu.data()), lu.size() * sizeof(T));
    b.append(reinterpret_cast<const char*>(pivots.data()), pivots.size() * sizeof pivots[0]);
    return b + std::to_string(info);
  }
};

/// Right-looking, unblocked, as the paper and every textbook print it. Finite matrices only.
template <class T>
Factored<T> plain_loops(std::vector<T> a, std::uint32_t n) {
  Factored<T> f{std::move(a), std::vector<std::int32_t>(n), 0};
  const auto at = [&](std::size_t i, std::size_t j) -> T& { return f.lu[i + j * n]; };
  for (std::uint32_t k = 0; k < n; ++k) {
    std::uint32_t p = k;
    for (std::uint32_t i = k + 1; i < n; ++i)
      if (std::fabs(at(i, k)) > std::fabs(at(p, k))) p = i;
    f.pivots[k] = static_cast<std::int32_t>(p + 1);
    for (std::uint32_t j = 0; j < n && p != k; ++j) std::swap(at(k, j), at(p, j));
    const T pivot = at(k, k), reciprocal = T{1} / pivot;
    if (pivot == 0 && f.info == 0) f.info = static_cast<std::int32_t>(k + 1);
    for (std::uint32_t i = k + 1; i < n; ++i) at(i, k) = lu::multiplier(at(i, k), pivot, reciprocal);
    for (std::uint32_t j = k + 1; j < n; ++j)
      for (std::uint32_t i = k + 1; i < n; ++i) at(i, j) = lu::fused(-at(i, k), at(k, j), at(i, j));
  }
  return f;
}

template <class T>
Factored<T> factor_with(const Backend& backend, std::vector<T> a, std::uint32_t n) {
  Factored<T> f{std::move(a), std::vector<std::int32_t>(n), 0};
  f.info = lu_factor(f.lu.data(), n, n, f.pivots.data(), backend);
  return f;
}

/// Row by row: every unknown takes its terms in the order that lu.h states.
template <class T>
std::vector<T> plain_solution(const Factored<T>& f, std::vector<T> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) std::swap(b[k], b[f.pivots[k] - 1]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < i; ++k) b[i] = lu::fused(-f.lu[i + k * n], b[k], b[i]);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = n - 1; k > i; --k) b[i] = lu::fused(-f.lu[i + k * n], b[k], b[i]);
    b[i] /= f.lu[i + i * n];
  }
  return b;
}

template <class T>
std::vector<T> random_matrix(std::uint32_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> a(std::size_t{n} * n);
  for (T& v : a) v = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  return a;
}

/// Small integers: pivots tie in most columns.
template <class T>
std::vector<T> integer_matrix(std::uint32_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> a(std::size_t{n} * n);
  for (T& v : a) v = static_cast<T>(static_cast<int>(random() % 5) - 2);
  return a;
}

/// 1 on the diagonal and in the last column, -1 below the diagonal: the last column doubles with every step.
template <class T>
std::vector<T> wilkinson_matrix(std::uint32_t n) {
  std::vector<T> a(std::size_t{n} * n, T{0});
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) a[i + j * n] = i == j || j + 1 == n ? T{1} : (i > j ? T{-1} : T{0});
  return a;
}

template <class T>
std::vector<T> hilbert_matrix(std::uint32_t n) {
  std::vector<T> a(std::size_t{n} * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) a[i + j * n] = T{1} / static_cast<T>(i + j + 1);
  return a;
}

/// Sizes around every block, vector and warp.
inline std::vector<std::uint32_t> lu_sizes() {
  return {1,  2,  3,  7,  8,  9,   15,  16,  17,  24,  31,  32,  33,  47,
          49, 63, 64, 65, 96, 100, 127, 128, 129, 200, 255, 256, 257, 300};
}

}  // namespace datum::testing
