// The sums over one tile of a window of residual steps. A box is a sum along a row and then along a column, and both are
// symmetric, so sum_p r_p B_L(p) is sum_p H_L(p) V_L(p) with the sums along p's row and along p's column alone. Those
// are products with matrices of zeros and ones, which tensor cores do in whole numbers.
#pragma once

#include <cstdint>

#include "gpu/component_height/box_products_cuda.h"
#include "gpu/component_height/box_tiles.h"

namespace datum::cuda {

constexpr int box_threads = 256, box_warps = box_threads / 32, box_sums = 6;
constexpr int box_reach = box_tile_side + 2 * box_border;  // a tile with its border: rows and columns read
constexpr int box_pitch = box_reach + 8;                   // eight rows of eight steps lie in different banks
constexpr int cells_per_warp = 32 / box_warps;

/// Steps of a tile with its border, packed.
struct BoxShared {
  alignas(16) std::uint16_t steps[box_reach][box_pitch];
  long long warp_sums[box_warps][box_sums];
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
#pragma unroll
  for (int i = 0; i < box_reach; i += box_threads / 16) {
    const int row = tile.row - box_border + i + down;
    const bool read = inside && row >= tile.from_row && row < tile.to_row;
    const std::uint16_t* const from = w.steps + (read ? static_cast<long long>(row) * w.pitch + col : 0);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     shared_address(&s.steps[i + down][8 * right])),
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
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(row));
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
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
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

/// A warp: its cells' sum of H_L V_L for a reach of 8 or less.
__device__ inline int sum_narrow(const CellRows& at, std::uint32_t cells, const std::uint32_t (&bands)[3][32][4]) {
  unsigned upper[4], lower[4], along[4];
  load_band(bands[0], upper);
  load_band(bands[1], lower);
  load_band(bands[2], along);
  int sum = 0;
#pragma unroll
  for (int i = 0; i < cells_per_warp; ++i, cells >>= 8) {
    const unsigned cell = cells & 0xFF;
    if (cell >= 32) break;
    const unsigned offset = cell_offset(cell);
    unsigned down[4], left[4], right[2];
    load_four_transposed(at.down + offset - 8 * row_bytes, down);
    load_four(at.across + offset - 8 * step_bytes, left);
    load_two(at.across + offset + 8 * step_bytes, right);
    int v[4] = {}, h[4] = {};
    multiply(upper, down[0], down[1], v);
    multiply(left, along[0], along[1], h);
    multiply(lower, down[2], down[3], v);
    multiply_half(right, along[2], h);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += h[k] * v[k];
  }
  return sum;
}

/// The same for a reach of 16.
__device__ inline int sum_wide(const CellRows& at, std::uint32_t cells, const std::uint32_t (&bands)[5][32][4]) {
  unsigned upper[4], middle[4], lower[4], along[4], last[4];
  load_band(bands[0], upper);
  load_band(bands[1], middle);
  load_band(bands[2], lower);
  load_band(bands[3], along);
  load_band(bands[4], last);
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < cells_per_warp; ++i, cells >>= 8) {
    const unsigned cell = cells & 0xFF;
    if (cell >= 32) break;
    const unsigned offset = cell_offset(cell);
    unsigned down[4], below[2], left[4], inside[4], right[2];
    load_four_transposed(at.down + offset - 16 * row_bytes, down);
    load_two_transposed(at.down + offset + 16 * row_bytes, below);
    load_four(at.across + offset - 16 * step_bytes, left);
    load_four(at.across + offset, inside);
    load_two(at.across + offset + 16 * step_bytes, right);
    int v[4] = {}, h[4] = {};
    multiply(upper, down[0], down[1], v);
    multiply(left, along[0], along[1], h);
    multiply(middle, down[2], down[3], v);
    multiply(inside, along[2], along[3], h);
    multiply(lower, below[0], below[1], v);
    multiply_half(right, last[0], h);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += h[k] * v[k];
  }
  return sum;
}
static_assert(cells_per_warp * 4 * (255ll * 33) * (255 * 33) < 1ll << 31, "a lane's sum overflows");

/// Every eighth of a tile's cells, a byte each; 0xFF where there are no more.
__device__ inline std::uint32_t own_cells(std::uint32_t cells) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  std::uint32_t own = 0xFFFFFFFFu;
  for (int i = 0, filled = 0; cells != 0; ++i, cells &= cells - 1) {
    if (i % box_warps != warp) continue;
    own ^= (0xFFu ^ (static_cast<std::uint32_t>(__ffs(static_cast<int>(cells))) - 1)) << 8 * filled++;
  }
  return own;
}

/// The whole block, after wait_for_steps(): adds the tile's squares and products to `sums` in global memory.
__device__ inline void add_box_sums(const BoxTile& tile, BoxShared& s, unsigned long long* sums) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t cells = own_cells(tile.cells);
  const CellRows at = cell_rows(s);
#pragma unroll 1
  for (int k = 0; k < box_sums; ++k) {
    const int own = k < 5 ? sum_narrow(at, cells, box_band_table.narrow[k]) : sum_wide(at, cells, box_band_table.wide);
    const long long sum = warp_sum_of_int(own);
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
