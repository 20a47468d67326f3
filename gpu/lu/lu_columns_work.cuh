// What the kernel of lu_columns.cuh is told, and what its threads share. C++17.
#pragma once

#include "gpu/lu/lu_search.cuh"
#include "gpu/lu/lu_words.cuh"

namespace datum::lu {

/// Where a panel's rows go, for the rest of its matrix. Null in a whole matrix.
struct PanelPlaces {
  std::uint16_t* top;    // per matrix: which of the panel's rows became its row k
  std::uint16_t* place;  // per matrix: where its row i went, i below `columns`
  std::uint16_t* where;  // per matrix: where a row of A is after this panel
};

template <class T>
struct ColumnsWork {
  const T* a;
  T* factors;
  std::int32_t* pivots;
  std::int32_t* info;
  std::uint16_t* order;              // which row of A is row k
  typename Posted<T>::Word* posted;  // per matrix: L by columns
  uint2* choice;                     // per matrix: the pivots
  std::uint32_t* epochs;             // per matrix: launches so far
  unsigned long long* tickets;       // null where all blocks fit on the device at a time
  std::uint32_t n, columns;          // rows and columns that are factored
  std::uint32_t first, all_rows;     // which rows of the matrix they begin with, and how many it has
  std::size_t leading, matrix_size;  // elements from column to column, from matrix to matrix
  std::uint32_t blocks, matrices;
  PanelPlaces panel;
};

// A choice: the pivot's row, the position it was at, and whether the pivot is 0 or not finite.
constexpr std::uint32_t choice_zero = 1u << 30, choice_not_finite = 1u << 31;
__device__ __forceinline__ std::uint32_t row_of(std::uint32_t choice) { return choice & 0xFFFFu; }
__device__ __forceinline__ std::uint32_t position_of(std::uint32_t choice) { return choice >> 16 & 0x3FFFu; }

template <class T, int threads, int rows, int width, int ahead>
struct ColumnsShared {
  static constexpr int warps = threads / 32;
  static constexpr int stride = threads * rows + 1;  // of finished: a row's columns lie in different banks
  alignas(16) Candidate<T> candidate[2][warps];
  alignas(16) T candidate_row[2][warps][width];
  alignas(16) T pivot_rows[2][ahead][width];
  alignas(16) T triangle[2][ahead][ahead];
  alignas(16) T upper[warps + 1][ahead][width];  // each warp's own
  T reciprocal[2][warps];
  std::uint32_t choice[threads * rows];
  unsigned long long ticket;
  std::uint32_t first_zero, first_not_finite;
  T finished[width * stride];
};

}  // namespace datum::lu
