// The sums over one tile of a window of residual steps. A box is a sum along a row and then along a column, and both are
// symmetric, so sum_p r_p B_L(p) is sum_p H_L(p) V_L(p) with the sums along p's row and along p's column alone. Those
// are products with matrices of zeros and ones, which tensor cores do in whole numbers.
#pragma once

#include <cstdint>

#include "gpu/component_height/box_products_cuda.h"
#include "gpu/component_height/box_tiles.h"
#include "gpu/core/block_arrival.cuh"

namespace datum::cuda {

constexpr int box_threads = 256, box_warps = box_threads / 32, box_sums = 6;
constexpr int box_reach = box_tile_side + 2 * box_border;  // a tile with its border: rows and columns read
constexpr int box_pitch = box_reach + 8;                   // eight rows of eight steps lie in different banks

/// Steps of a tile with its border, packed.
struct BoxShared {
  alignas(16) std::uint16_t steps[box_reach][box_pitch];
};

/// A lane's registers of the matrices of ones, for steps packed as 2 a + b: k-th number of the row or column that a
/// product runs along, `apart` pixels from its first output.
constexpr std::uint32_t ones_of(int reach, int apart, int k, int output) {
  const auto within = [&](int at) { return at >= -reach && at <= reach; };
  return (within(apart + k - output) ? 0x0102u : 0u) | (within(apart + k + 1 - output) ? 0x01020000u : 0u);
}
struct BoxBands {
  // by lanes: two (wide: three) matrices of 16 x 16 for columns, then 24 (40) x 8 for rows
  std::uint32_t narrow[5][3][32][4] = {}, wide[5][32][4] = {};
};
constexpr BoxBands box_bands() {
  BoxBands b;
  for (int lane = 0; lane < 32; ++lane) {
    const int output = lane / 4, k = lane % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      const int right = i / 2 * 8, down = i % 2 * 8;
      for (int n = 0; n < 5; ++n) {
        const int reach = n == 0 ? 0 : 1 << (n - 1);
        for (int m = 0; m < 2; ++m)
          b.narrow[n][m][lane][i] = ones_of(reach, -8 + 16 * m, k + right, output + down);
        if (i < 3) b.narrow[n][2][lane][i] = ones_of(reach, -8 + 8 * i, k, output);
      }
      for (int m = 0; m < 3; ++m) b.wide[m][lane][i] = ones_of(16, -16 + 16 * m, k + right, output + down);
      b.wide[3][lane][i] = ones_of(16, -16 + 8 * i, k, output);
    }
    b.wide[4][lane][0] = ones_of(16, 16, k, output);
  }
  return b;
}
static __device__ const BoxBands box_band_table = box_bands();

/// Sum over the warp of |v| < 2^31.
__device__ inline long long warp_sum_of_int(int v) {
  const unsigned low = __reduce_add_sync(0xFFFFFFFFu, static_cast<unsigned>(v) & 0xFFFFu);
  const int high = __reduce_add_sync(0xFFFFFFFFu, v >> 16);
  return (static_cast<long long>(high) << 16) + static_cast<long long>(low);
}

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// The whole block: begins to fetch the tile with its border.
__device__ inline void fetch_steps(const ResidualWindow& w, const BoxTile& tile, BoxShared& s) {
  const int right = static_cast<int>(threadIdx.x) % 16, down = static_cast<int>(threadIdx.x) / 16;
  if (right >= box_reach / 8) return;
  const int col = tile.col - box_border + 8 * right;
  const bool inside = col >= tile.from_col && col < tile.to_col;
  const ResidualWindow window = w;
#pragma unroll
  for (int i = 0; i < box_reach; i += box_threads / 16) {
    const int row = tile.row - box_border + i + down;
    const bool read = inside && row >= tile.from_row && row < tile.to_row;
    const std::uint16_t* const from =
        window.steps + (read ? static_cast<long long>(row) * window.pitch + col : 0);
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&s.steps[i + down][8 * right])),
        "l"(from), "r"(read ? 16 : 0)
        : "memory");
  }
}
__device__ inline void wait_for_steps() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

/// 8 x 8 steps each, from the row that a lane names; transposed: pairs from two rows.
__device__ inline void load_four(unsigned row, unsigned (&to)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row));
}
__device__ inline void load_two(unsigned row, unsigned (&to)[2]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(row));
}
__device__ inline void load_four_transposed(unsigned row, unsigned (&to)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row));
}
__device__ inline void load_two_transposed(unsigned row, unsigned (&to)[2]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(row));
}
/// c += a b for 16 rows, 16 (8) packed steps along the product, 8 columns.
__device__ inline void multiply(const unsigned (&a)[4], unsigned b0, unsigned b1, int (&c)[4]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, "
      "%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply_half(const unsigned (&a)[2], unsigned b0, int (&c)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b0));
}

__device__ inline void load_band(const std::uint32_t (&table)[32][4], unsigned (&to)[4]) {
  const uint4 v = *reinterpret_cast<const uint4*>(table[threadIdx.x % 32]);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

/// Where a lane's rows of matrices begin in a cell's surroundings.
struct CellRows {
  unsigned across;  // 16 rows from the cell's first, then 8 columns on
  unsigned down;    // 32 rows from the cell's first
};
__device__ inline CellRows cell_rows(const BoxShared& s) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return CellRows{shared_address(&s.steps[box_border + lane % 16][box_border + lane / 16 * 8]),
                  shared_address(&s.steps[box_border + lane][box_border])};
}
__device__ inline unsigned cell_offset(unsigned cell) {
  return (cell / 8 * box_cell_rows * box_pitch + cell % 8 * box_cell_cols) * 2;
}
constexpr unsigned step_bytes = 2, row_bytes = step_bytes * box_pitch;

/// sum H_L V_L of one cell, for a reach of 8 or less.
__device__ inline int narrow_sum(const CellRows& at, unsigned offset, const unsigned (&bands)[3][4]) {
  unsigned down[4], left[4], right[2];
  load_four_transposed(at.down + offset - 8 * row_bytes, down);
  load_four(at.across + offset - 8 * step_bytes, left);
  load_two(at.across + offset + 8 * step_bytes, right);
  int v[4] = {}, h[4] = {};
  multiply(bands[0], down[0], down[1], v);
  multiply(left, bands[2][0], bands[2][1], h);
  multiply(bands[1], down[2], down[3], v);
  multiply_half(right, bands[2][2], h);
  return (h[0] * v[0] + h[1] * v[1]) + (h[2] * v[2] + h[3] * v[3]);
}

/// The same for a reach of 16.
__device__ inline int wide_sum_of(const CellRows& at, unsigned offset, const unsigned (&bands)[4][4],
                                  unsigned last) {
  unsigned down[4], below[2], left[4], inside[4], right[2];
  load_four_transposed(at.down + offset - 16 * row_bytes, down);
  load_two_transposed(at.down + offset + 16 * row_bytes, below);
  load_four(at.across + offset - 16 * step_bytes, left);
  load_four(at.across + offset, inside);
  load_two(at.across + offset + 16 * step_bytes, right);
  int v[4] = {}, h[4] = {};
  multiply(bands[0], down[0], down[1], v);
  multiply(left, bands[3][0], bands[3][1], h);
  multiply(bands[1], down[2], down[3], v);
  multiply(inside, bands[3][2], bands[3][3], h);
  multiply(bands[2], below[0], below[1], v);
  multiply_half(right, last, h);
  return (h[0] * v[0] + h[1] * v[1]) + (h[2] * v[2] + h[3] * v[3]);
}

/// A warp: sum(offset of a cell) over the cells, two at a time, so that one's products fill the other's waits.
template <class Sum>
__device__ long long sum_over_cells(std::uint32_t cells, Sum sum) {
  int even = 0, odd = 0;
  while (cells != 0) {
    const unsigned first = __ffs(static_cast<int>(cells)) - 1;
    cells &= cells - 1;
    const unsigned second = cells != 0 ? __ffs(static_cast<int>(cells)) - 1 : first;
    const int one = sum(cell_offset(first)), other = sum(cell_offset(second));
    even += one;
    odd += cells != 0 ? other : 0;
    cells &= cells - 1;
  }
  return warp_sum_of_int(even) + warp_sum_of_int(odd);
}

/// Five warps take a reach each, the others share the widest: every third cell.
constexpr int narrow_warps = 5, wide_warps = box_warps - narrow_warps;
static_assert(wide_warps == 3);
constexpr std::uint32_t every_third = 0x49249249;
static_assert(32 / 2 * 4 * (255ll * 17) * (255 * 17) < 1ll << 31 &&
                  6 * 4 * (255ll * 33) * (255 * 33) < 1ll << 31,
              "a lane's sums overflow");

/// The whole block, after wait_for_steps(): adds the tile's squares and products to `sums` in global memory.
__device__ inline void add_box_sums(const BoxTile& tile, const BoxShared& s, unsigned long long* sums) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const CellRows at = cell_rows(s);
  long long sum = 0;
  if (warp < narrow_warps) {
    unsigned bands[3][4];
#pragma unroll
    for (int i = 0; i < 3; ++i) load_band(box_band_table.narrow[warp][i], bands[i]);
    sum = sum_over_cells(tile.cells, [&](unsigned offset) { return narrow_sum(at, offset, bands); });
  } else {
    unsigned bands[4][4], last[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) load_band(box_band_table.wide[i], bands[i]);
    load_band(box_band_table.wide[4], last);
    sum = sum_over_cells(tile.cells & every_third << (warp - narrow_warps),
                         [&](unsigned offset) { return wide_sum_of(at, offset, bands, last[0]); });
  }
  if (threadIdx.x % 32 == 0 && sum != 0)
    atomicAdd(sums + min(warp, narrow_warps), static_cast<unsigned long long>(sum));
}

}  // namespace datum::cuda
