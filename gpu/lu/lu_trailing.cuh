// What a blocked factorisation does beside its panels (lu_columns.cuh): rows exchanged, triangles of 64 rows solved, products
// of matrices subtracted. Every element takes its updates one fma at a time, ascending or, backward, descending: the bytes
// are those of the plain loops. C++17.
//
// Matrices have rows and columns beyond their last ones, so that no tile asks where they end before it reads: what is computed
// there is never read by an element of the matrix.
#pragma once

#include "gpu/lu/lu_search.cuh"

namespace datum::lu {

constexpr int panel = 64;  // columns of a panel, rows of a triangle

/// Rounded up to whole panels, with one more to overrun.
constexpr std::size_t padded(std::size_t n) { return (n + panel - 1) / panel * panel + panel; }

template <class T>
struct TriangleWork {
  const T* triangle;           // its first element
  std::size_t leading, apart;  // of its matrix; elements from matrix to matrix
  T* b;                        // its rows of the first column
  std::size_t leading_b, apart_b;
  const std::uint16_t* top;  // as PanelPlaces; null: rows stay
  const std::uint16_t* place;
  std::uint32_t depth;  // rows of the triangle
};

constexpr int solve_warps = 4, solve_columns = 4;  // columns for a warp

/// The rows of a column that the panel moves, then B = L^-1 B (k ascends) or B = U^-1 B (k descends) for the columns of a
/// block: a lane holds rows lane and lane + 32 of each of its warp's columns.
template <class T, bool upper>
__global__ void __launch_bounds__(32 * solve_warps) solve_triangle(const TriangleWork<T> w) {
  __shared__ T triangle[panel * panel];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const std::size_t matrix = blockIdx.y;
  const int depth = static_cast<int>(w.depth);
  const T* const from = w.triangle + matrix * w.apart;
  for (int i = static_cast<int>(threadIdx.x); i < panel * panel; i += 32 * solve_warps)
    triangle[i] = i / panel < depth && i % panel < depth ? from[i / panel * w.leading + i % panel] : T{0};
  T* const b =
      w.b + matrix * w.apart_b +
      (std::size_t{blockIdx.x} * solve_warps + static_cast<std::size_t>(warp)) * solve_columns * w.leading_b;
  T low[solve_columns], high[solve_columns];
  if (w.top) {
    const std::uint16_t* const top = w.top + matrix * panel;
    const std::uint16_t* const place = w.place + matrix * panel;
    T old_low[solve_columns], old_high[solve_columns];
#pragma unroll
    for (int c = 0; c < solve_columns; ++c) {
      const T* const column = b + c * w.leading_b;
      old_low[c] = column[lane];
      old_high[c] = column[lane + 32];
      low[c] = column[top[lane]];
      high[c] = column[top[lane + 32]];
    }
    __syncwarp();
    const int to_low = place[lane], to_high = place[lane + 32];
#pragma unroll
    for (int c = 0; c < solve_columns; ++c) {
      T* const column = b + c * w.leading_b;
      if (to_low >= panel) column[to_low] = old_low[c];
      if (to_high >= panel) column[to_high] = old_high[c];
    }
  } else {
#pragma unroll
    for (int c = 0; c < solve_columns; ++c) {
      low[c] = b[c * w.leading_b + static_cast<std::size_t>(lane)];
      high[c] = b[c * w.leading_b + static_cast<std::size_t>(lane) + 32];
    }
  }
  __syncthreads();
  const auto step = [&](int k, T* holds) {
    const T l = triangle[k * panel + lane], h = triangle[k * panel + lane + 32];
    const bool low_changes = upper ? lane < k : lane > k,
               high_changes = upper ? lane + 32 < k : lane + 32 > k;
    if (upper && lane == k % 32) {
#pragma unroll
      for (int c = 0; c < solve_columns; ++c) holds[c] = quotient(holds[c], triangle[k * panel + k]);
    }
#pragma unroll
    for (int c = 0; c < solve_columns; ++c) {
      const T u = __shfl_sync(whole_warp, holds[c], k % 32);
      if (low_changes) low[c] = fused(-l, u, low[c]);
      if (high_changes) high[c] = fused(-h, u, high[c]);
    }
  };
  if (upper) {
    for (int k = depth - 1; k >= 32; --k) step(k, high);
    for (int k = depth < 32 ? depth - 1 : 31; k >= 0; --k) step(k, low);
  } else {
    for (int k = 0; k < 32; ++k) step(k, low);
    for (int k = 32; k < panel; ++k) step(k, high);
  }
#pragma unroll
  for (int c = 0; c < solve_columns; ++c) {
    T* const column = b + c * w.leading_b;
    if (lane < depth) column[lane] = low[c];
    if (lane + 32 < depth) column[lane + 32] = high[c];
  }
}

/// C -= A B, A of `rows` x depth, B of depth x columns, depth up to 64.
template <class T>
struct SubtractWork {
  const T* a;
  const T* b;
  T* c;
  std::size_t leading_a, leading_b, leading_c;
  std::size_t apart_a, apart_b, apart_c;  // elements from matrix to matrix
  std::uint32_t rows, columns, depth;     // of C; others are left as they are
};

/// Four or two numbers at a time.
template <class T>
struct Sixteen;
template <>
struct Sixteen<float> {
  using Type = float4;
};
template <>
struct Sixteen<double> {
  using Type = double2;
};

template <class T>
__device__ __forceinline__ void load_sixteen(T* to, const T* from) {
  const auto v = *reinterpret_cast<const typename Sixteen<T>::Type*>(from);
  to[0] = v.x;
  to[1] = v.y;
  if constexpr (sizeof(T) == 4) {
    to[2] = v.z;
    to[3] = v.w;
  }
}
template <class T>
__device__ __forceinline__ void store_sixteen(T* to, const T* from) {
  if constexpr (sizeof(T) == 4) {
    *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
  } else {
    *reinterpret_cast<double2*>(to) = make_double2(from[0], from[1]);
  }
}

/// A block of 16 x 16 threads and its tile of C: a thread holds 8 rows (16 bytes at a time) and `each` columns.
template <class T>
struct SubtractShape {
  static constexpr int wide = 16 / sizeof(T), rows = 8, groups = rows / wide, each = sizeof(T) == 4 ? 8 : 4;
  static constexpr int tile_rows = 16 * rows, tile_columns = 16 * each;
  static constexpr int b_stride = panel + wide;  // columns of B begin in different banks
  static constexpr unsigned shared_bytes = (tile_rows * panel + tile_columns * b_stride) * sizeof(T);
};

template <class T, bool descending>
__global__ void __launch_bounds__(256, 2) subtract_product(const SubtractWork<T> w) {
  using Shape = SubtractShape<T>;
  constexpr int wide = Shape::wide, groups = Shape::groups, each = Shape::each;
  extern __shared__ __align__(16) unsigned char memory[];
  T* const a = reinterpret_cast<T*>(memory);
  T* const b = a + Shape::tile_rows * panel;
  const int tid = static_cast<int>(threadIdx.x), x = tid % 16, y = tid / 16;
  const std::size_t row = std::size_t{blockIdx.x} * Shape::tile_rows;
  const std::size_t column = std::size_t{blockIdx.y} * Shape::tile_columns;
  const int depth = static_cast<int>(w.depth);
  T* const c = w.c + blockIdx.z * w.apart_c + column * w.leading_c + row;
  T sum[each][groups * wide];
  const auto row_of_group = [&](int g) { return (g * 16 + x) * wide; };
#pragma unroll
  for (int j = 0; j < each; ++j)
#pragma unroll
    for (int g = 0; g < groups; ++g)
      load_sixteen(sum[j] + g * wide, c + (y + 16 * j) * w.leading_c + row_of_group(g));
  const T zero[4] = {0, 0, 0, 0};
  T v[4] = {0, 0, 0, 0};
  const T* const from_a = w.a + blockIdx.z * w.apart_a + row;
  for (int i = tid; i < Shape::tile_rows / wide * panel; i += 256) {
    const int k = i / (Shape::tile_rows / wide), r = i % (Shape::tile_rows / wide) * wide;
    if (k < depth) load_sixteen(v, from_a + k * w.leading_a + r);
    store_sixteen(a + k * Shape::tile_rows + r, k < depth ? v : zero);
  }
  const T* const from_b = w.b + blockIdx.z * w.apart_b + column * w.leading_b;
  for (int i = tid; i < Shape::tile_columns * (panel / wide); i += 256) {
    const int j = i / (panel / wide), k = i % (panel / wide) * wide;
    load_sixteen(v, from_b + j * w.leading_b + k);
#pragma unroll
    for (int e = 0; e < wide; ++e)
      if (k + e >= depth) v[e] = 0;
    store_sixteen(b + j * Shape::b_stride + k, v);
  }
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < panel; step += wide) {
    const int first = descending ? panel - wide - step : step;
    T u[each][wide];
#pragma unroll
    for (int j = 0; j < each; ++j) load_sixteen(u[j], b + (y + 16 * j) * Shape::b_stride + first);
#pragma unroll
    for (int e = 0; e < wide; ++e) {
      const int at = descending ? wide - 1 - e : e;
      T l[groups * wide];
#pragma unroll
      for (int g = 0; g < groups; ++g)
        load_sixteen(l + g * wide, a + (first + at) * Shape::tile_rows + row_of_group(g));
#pragma unroll
      for (int j = 0; j < each; ++j)
#pragma unroll
        for (int i = 0; i < groups * wide; ++i) sum[j][i] = fused(-l[i], u[j][at], sum[j][i]);
    }
  }
#pragma unroll
  for (int j = 0; j < each; ++j)
#pragma unroll
    for (int g = 0; g < groups; ++g)
      if (row + row_of_group(g) < w.rows && column + y + 16 * j < w.columns)
        store_sixteen(c + (y + 16 * j) * w.leading_c + row_of_group(g), sum[j] + g * wide);
}

}  // namespace datum::lu
