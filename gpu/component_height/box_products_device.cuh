// The sums over one tile of a window of residual steps: a table of sums over rectangles makes every box four
// look-ups.
#pragma once

#include <cstdint>

#include "gpu/component_height/box_products_cuda.h"
#include "gpu/component_height/box_tiles.h"

namespace datum::cuda {

constexpr int box_threads = 256, box_warps = box_threads / 32, box_sums = 6;
constexpr int box_reach = box_tile_side + 2 * box_border;  // a tile with its border: rows and columns read
constexpr int box_pitch = 100, box_first = 4;              // column 3 of the table is the one of zeros
constexpr int box_strip = (box_reach + box_warps - 1) / box_warps;  // rows of one warp
static_assert(box_reach % 4 == 0 && box_reach / 4 <= 32 && box_pitch >= box_first + box_reach);

/// table[r + 1][c + box_first]: sum over rows up to r and columns up to c of the tile with its border.
struct BoxShared {
  alignas(16) int table[box_reach + 1][box_pitch];
  alignas(16) int strip[box_warps][box_reach];  // each warp's last row
  long long warp_sums[box_warps][box_sums];
};

__device__ inline int4 operator+(const int4& a, const int4& b) {
  return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/// Sum over the warp of |v| < 2^31.
__device__ inline long long warp_sum_of_int(int v) {
  const unsigned low = __reduce_add_sync(0xFFFFFFFFu, static_cast<unsigned>(v) & 0xFFFFu);
  const int high = __reduce_add_sync(0xFFFFFFFFu, v >> 16);
  return (static_cast<long long>(high) << 16) + static_cast<long long>(low);
}

/// Fills the table. A warp sums the rows of its strip in registers; the strips above are added once they are
/// known.
__device__ inline void fill_table(const ResidualWindow& w, const BoxTile& tile, BoxShared& s) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int rows = tile.rows + 2 * box_border, cols = tile.cols + 2 * box_border;
  const bool mine = 4 * lane < cols;
  const std::int16_t* const first =
      w.steps + static_cast<long long>(tile.row - box_border) * w.pitch + (tile.col - box_border + 4 * lane);
  short4 steps[box_strip];
#pragma unroll
  for (int i = 0; i < box_strip; ++i) {
    const int row = warp * box_strip + i;
    steps[i] = make_short4(0, 0, 0, 0);
    if (mine && row < rows)
      steps[i] = *reinterpret_cast<const short4*>(first + static_cast<long long>(row) * w.pitch);
  }
  int4 sums[box_strip];
  int4 above = make_int4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < box_strip; ++i) {
    int4 v = make_int4(steps[i].x, steps[i].y, steps[i].z, steps[i].w);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int left = v.w;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int from = __shfl_up_sync(0xFFFFFFFFu, left, step);
      if (lane >= step) left += from;
    }
    left -= v.w;
    above = above + make_int4(v.x + left, v.y + left, v.z + left, v.w + left);
    sums[i] = above;
  }
  if (mine) *reinterpret_cast<int4*>(&s.strip[warp][4 * lane]) = above;
  if (threadIdx.x < box_pitch) s.table[0][threadIdx.x] = 0;
  if (threadIdx.x - 1u < box_reach) s.table[threadIdx.x][box_first - 1] = 0;
  __syncthreads();
  if (!mine) return;
  int4 before = make_int4(0, 0, 0, 0);
  for (int k = 0; k < warp; ++k) before = before + *reinterpret_cast<const int4*>(&s.strip[k][4 * lane]);
#pragma unroll
  for (int i = 0; i < box_strip; ++i) {
    const int row = warp * box_strip + i;
    if (row < rows) *reinterpret_cast<int4*>(&s.table[row + 1][box_first + 4 * lane]) = before + sums[i];
  }
}

/// r times the box sums around it, added up; a thread sees at most 16 pixels: 16 * 255^2 * 33^2 < 2^31.
struct PixelSums {
  int squares = 0, products[5] = {};

  __device__ void add(const int* corner, int r) {
    squares += r * r;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      const int reach = 1 << k;
      // corner: the entry of the pixel itself
      const int* const low = corner + reach * box_pitch;
      const int* const high = corner - (reach + 1) * box_pitch;
      products[k] += r * ((low[reach] - low[-reach - 1]) - (high[reach] - high[-reach - 1]));
    }
  }
};
static_assert(box_tile_side * box_tile_side / box_threads * 255ll * 255 * 33 * 33 < 1ll << 31,
              "sums overflow");

/// The whole block: adds the tile's squares and products to `sums` in global memory.
__device__ inline void sum_box_tile(const ResidualWindow& w, const BoxTile& tile, BoxShared& s,
                                    unsigned long long* sums) {
  fill_table(w, tile, s);
  __syncthreads();
  PixelSums own;
  const int cols = tile.cols;
  const int down = box_threads / cols, right = box_threads % cols;
  int row = threadIdx.x / cols, col = threadIdx.x % cols;
  const std::int16_t* const first = w.steps + static_cast<long long>(tile.row) * w.pitch + tile.col;
  while (row < tile.rows) {
    const int r = first[static_cast<long long>(row) * w.pitch + col];
    if (r != 0) own.add(&s.table[row + box_border + 1][col + box_border + box_first], r);
    row += down;
    col += right;
    if (col >= cols) {
      col -= cols;
      ++row;
    }
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int values[box_sums] = {own.squares,     own.products[0], own.products[1],
                                own.products[2], own.products[3], own.products[4]};
#pragma unroll
  for (int k = 0; k < box_sums; ++k) {
    const long long sum = warp_sum_of_int(values[k]);
    if (lane == 0) s.warp_sums[warp][k] = sum;
  }
  __syncthreads();
  if (threadIdx.x < box_sums) {
    long long sum = 0;
    for (int k = 0; k < box_warps; ++k) sum += s.warp_sums[k][threadIdx.x];
    if (sum != 0) atomicAdd(sums + threadIdx.x, static_cast<unsigned long long>(sum));
  }
}

/// The whole block: whether it is the last of `total` to arrive; then it sees what the others wrote.
__device__ inline bool arrives_last(unsigned int* arrived, unsigned int total, int* flag) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *flag = atomicAdd(arrived, 1u) + 1 == total;
  __syncthreads();
  const bool last = *flag != 0;
  if (last) __threadfence();
  return last;
}

}  // namespace datum::cuda
