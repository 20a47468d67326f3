// What a CPU's instruction set supplies.
#pragma once

#include <cstdint>

#include "gpu/core/backend.h"

namespace datum::lu {

/// c -= a b, every element by fma in ascending k; a: rows x depth, b: depth x columns.
template <class T>
struct Product {
  const T* a;
  const T* b;
  T* c;
  std::uint32_t rows, depth, columns;
  std::uint32_t leading_a, leading_c;  // b: as c
};

template <class T>
struct Kernels {
  /// Factors `columns` <= rows columns; pivots count from 1 at the first row. Returns info; where that is negative the
  /// columns are left half done.
  std::int32_t (*factor)(T* a, std::uint32_t rows, std::uint32_t columns, std::uint32_t leading,
                         std::int32_t* pivots);
  /// B = L^-1 B with the unit lower triangle of the first `depth` columns of a: depth x columns. k ascends.
  void (*solve_lower)(const T* a, std::uint32_t leading_a, std::uint32_t depth, T* b, std::uint32_t columns,
                      std::uint32_t leading_b);
  /// B = U^-1 B with the upper triangle. k descends.
  void (*solve_upper)(const T* a, std::uint32_t leading_a, std::uint32_t depth, T* b, std::uint32_t columns,
                      std::uint32_t leading_b);
  /// Rows first to end - 1 of some columns with those that the pivots name.
  void (*exchange)(T* a, std::uint32_t columns, std::uint32_t leading, std::uint32_t first, std::uint32_t end,
                   const std::int32_t* pivots);
  void (*subtract)(const Product<T>& product);
};

template <class T>
const Kernels<T>& kernels(Isa isa);

}  // namespace datum::lu
