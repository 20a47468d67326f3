// One block of threads owns `width` columns of one matrix, in registers: a thread `rows` rows, tid + r * threads. It takes
// what earlier blocks post, eight columns of L at a time, factors its own and posts them. Rows never move: `position` is
// where LAPACK would have put a row by now. C++17.
//
// Blocks take their columns in the order of their start, so that whoever waits for L waits for a block that runs. The
// places of the rows are known at the end only: all blocks of one matrix must fit on the device at a time.
#pragma once

#include "gpu/lu/lu_search.cuh"
#include "gpu/lu/lu_words.cuh"

namespace datum::lu {

template <class T>
struct ColumnsWork {
  const T* a;
  T* factors;
  std::int32_t* pivots;
  std::int32_t* info;
  uint4* posted;  // per matrix: for every eighth column and row what Posted needs
  uint2* choice;  // per matrix: the pivots
  unsigned long long* tickets;
  std::uint32_t n, blocks, matrices;
};

// A choice: the pivot's row, the position it was at, and whether the pivot is 0 or not finite.
constexpr std::uint32_t choice_zero = 1u << 30, choice_not_finite = 1u << 31;
__device__ __forceinline__ std::uint32_t row_of(std::uint32_t choice) { return choice & 0x7FFu; }
__device__ __forceinline__ std::uint32_t position_of(std::uint32_t choice) { return choice >> 16 & 0x7FFu; }

template <class T, int threads, int rows, int width, int step>
struct ColumnsShared {
  static constexpr int warps = threads / 32;
  Candidate<T> candidate[2][warps];
  alignas(16) T candidate_row[2][warps][width];
  alignas(16) T pivot_rows[2][step][width];
  alignas(16) T triangle[2][step][step];
  alignas(16) T upper[warps][step][width];
  std::uint16_t place[threads * rows];
  unsigned long long ticket;
  std::uint32_t first_zero, first_not_finite;
};

template <class T, int threads, int rows, int width, int step>
struct Columns {
  using Shared = ColumnsShared<T, threads, rows, width, step>;
  using Post = Posted<T, step>;
  static constexpr int warps = threads / 32;

  const ColumnsWork<T>& w;
  Shared& s;
  std::uint32_t tid, lane, warp, matrix, block, epoch;
  uint4* posted;
  uint2* choice;
  T a[rows][width];
  std::uint32_t position[rows];
  bool done[rows];

  __device__ __forceinline__ Columns(const ColumnsWork<T>& work, Shared& shared) : w(work), s(shared) {
    tid = threadIdx.x;
    lane = tid % 32;
    warp = tid / 32;
    if (tid == 0) {
      s.ticket = atomicAdd(w.tickets, 1ull);
      s.first_zero = s.first_not_finite = 0xFFFFFFFFu;
    }
    __syncthreads();
    const unsigned long long all = static_cast<unsigned long long>(w.blocks) * w.matrices;
    const std::uint32_t mine = static_cast<std::uint32_t>(s.ticket % all);
    epoch = static_cast<std::uint32_t>(s.ticket / all) + 1;
    matrix = mine / w.blocks;
    block = mine % w.blocks;
    posted = w.posted + static_cast<std::size_t>(matrix) * (w.blocks * width / step) * w.n * Post::words;
    choice = w.choice + static_cast<std::size_t>(matrix) * w.n;
    const T* from =
        w.a + static_cast<std::size_t>(matrix) * w.n * w.n + static_cast<std::size_t>(block) * width * w.n;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      position[r] = row(r);
      done[r] = row(r) >= w.n;
#pragma unroll
      for (int c = 0; c < width; ++c)
        a[r][c] =
            row(r) < w.n && block * width + c < w.n ? from[static_cast<std::size_t>(c) * w.n + row(r)] : T{0};
    }
  }

  __device__ __forceinline__ std::uint32_t row(int r) const { return tid + r * threads; }
  __device__ __forceinline__ uint4* posted_row(std::uint32_t panel, int r) const {
    return posted + (static_cast<std::size_t>(panel) * w.n + row(r)) * Post::words;
  }

  /// Updates by one panel of `step` columns that another block posts.
  __device__ __forceinline__ void take(std::uint32_t panel) {
    const std::uint32_t side = panel & 1;
    T l[rows][step];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (!done[r]) Post::poll(posted_row(panel, r), l[r], epoch);
    const std::uint32_t word = lane < step ? poll_word(choice + panel * step + lane, epoch) : 0;
    std::uint32_t limit[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) limit[r] = done[r] ? 0 : step;
#pragma unroll
    for (int k = 0; k < step; ++k) {
      const std::uint32_t chosen = __shfl_sync(whole_warp, word, k);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (settle(r, panel * step + k, chosen)) limit[r] = k;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (done[r] && position[r] >= panel * step && position[r] < w.n) {
        const std::uint32_t k = limit[r];
#pragma unroll
        for (int c = 0; c < width; ++c) s.pivot_rows[side][k][c] = a[r][c];
#pragma unroll
        for (int i = 0; i < step; ++i) s.triangle[side][k][i] = l[r][i];
      }
    __syncthreads();
    solve_pivot_rows(side);
#pragma unroll
    for (int k = 0; k < step; ++k)
#pragma unroll
      for (int c = 0; c < width; ++c) {
        const T u = s.upper[warp][k][c];
#pragma unroll
        for (int r = 0; r < rows; ++r)
          if (k < limit[r]) a[r][c] = fused(-l[r][k], u, a[r][c]);
      }
    __syncwarp();
  }

  /// The rows of U that a panel makes of these columns; every warp makes its own copy.
  __device__ __forceinline__ void solve_pivot_rows(std::uint32_t side) {
    if (lane < width) {
      T u[step];
#pragma unroll
      for (int k = 0; k < step; ++k) u[k] = s.pivot_rows[side][k][lane];
#pragma unroll
      for (int k = 0; k < step; ++k)
#pragma unroll
        for (int i = k + 1; i < step; ++i) u[i] = fused(-s.triangle[side][i][k], u[k], u[i]);
#pragma unroll
      for (int k = 0; k < step; ++k) s.upper[warp][k][lane] = u[k];
    }
    __syncwarp();
  }

  /// Exchanges positions as LAPACK would exchange rows; whether row r became pivot k.
  __device__ __forceinline__ bool settle(int r, std::uint32_t k, std::uint32_t chosen) {
    const bool is_pivot = row(r) == row_of(chosen);
    if (is_pivot) {
      position[r] = k;
      done[r] = true;
    } else if (position[r] == k && row(r) < w.n) {
      position[r] = position_of(chosen);
    }
    return is_pivot;
  }

  /// The warp's best row to shared memory.
  template <int j>
  __device__ __forceinline__ void offer() {
    using Key = KeyOf<T>;
    Key key[rows], best = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      key[r] = done[r] ? 0 : magnitude(a[r][j]) + 1;
      best = key[r] > best ? key[r] : best;
    }
    const Key largest = warp_max(best);
    std::uint32_t lowest = 0xFFFFFFFFu;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (key[r] == largest && position[r] < lowest) lowest = position[r];
    if (!is_best_lane(best, largest, lowest)) return;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (key[r] == largest && position[r] == lowest) {
        Candidate<T> c;
        c.key = largest;
        c.place = lowest << 16 | row(r);
        c.reciprocal = reciprocal_of(a[r][j]);
        s.candidate[j % 2][warp] = c;
#pragma unroll
        for (int i = j; i < width; ++i) s.candidate_row[j % 2][warp][i] = a[r][i];
      }
  }

  /// One column: all warps choose the same row and take it.
  template <int j>
  __device__ __forceinline__ void eliminate() {
    const std::uint32_t k = block * width + j;
    Candidate<T> best = s.candidate[j % 2][0];
    int from = 0;
#pragma unroll
    for (int i = 1; i < warps; ++i) {
      const Candidate<T> c = s.candidate[j % 2][i];
      if (c.key > best.key || (c.key == best.key && c.place < best.place)) {
        best = c;
        from = i;
      }
    }
    const T* u = s.candidate_row[j % 2][from];
    const auto pivot_key = best.key - 1;
    if (tid == 0)
      post_word(
          choice + k,
          best.place | (pivot_key == 0 ? choice_zero : 0u) | (is_finite(pivot_key) ? 0u : choice_not_finite),
          epoch);
#pragma unroll
    for (int r = 0; r < rows; ++r) settle(r, k, best.place);
    T l[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) l[r] = a[r][j] * best.reciprocal;
    if (!has_reciprocal(pivot_key)) {
#pragma unroll
      for (int r = 0; r < rows; ++r) l[r] = pivot_key == 0 ? a[r][j] : quotient(a[r][j], u[j]);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (!done[r]) a[r][j] = l[r];
#pragma unroll
    for (int c = j + 1; c < width; ++c) {
      const T v = u[c];
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (!done[r]) a[r][c] = fused(-l[r], v, a[r][c]);
    }
  }

  template <int j>
  __device__ __forceinline__ void factor_from() {
    if (block * width + j >= w.n) return;
    offer<j>();
    __syncthreads();
    eliminate<j>();
    if ((j + 1) % step == 0 && block + 1 < w.blocks) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (row(r) < w.n) Post::post(posted_row((block * width + j) / step, r), &a[r][j + 1 - step], epoch);
    }
    if constexpr (j + 1 < width) factor_from<j + 1>();
  }

  /// Waits for the last choice; then every row knows its place.
  __device__ __forceinline__ void write() {
    for (std::uint32_t k = tid; k < w.n; k += threads) {
      const std::uint32_t chosen = poll_word(choice + k, epoch);
      s.place[row_of(chosen)] = static_cast<std::uint16_t>(k);
      if (chosen & choice_zero) atomicMin(&s.first_zero, k);
      if (chosen & choice_not_finite) atomicMin(&s.first_not_finite, k);
      if (block == 0)
        w.pivots[static_cast<std::size_t>(matrix) * w.n + k] =
            static_cast<std::int32_t>(position_of(chosen) + 1);
    }
    __syncthreads();
    const bool finite = s.first_not_finite == 0xFFFFFFFFu;
    if (block == 0) {
      for (std::uint32_t k = tid; k < w.n && !finite; k += threads)
        w.pivots[static_cast<std::size_t>(matrix) * w.n + k] = static_cast<std::int32_t>(k + 1);
      if (tid == 0)
        w.info[matrix] = finite ? static_cast<std::int32_t>(s.first_zero + 1)
                                : -static_cast<std::int32_t>(s.first_not_finite + 1);
    }
    T* to = w.factors + static_cast<std::size_t>(matrix) * w.n * w.n +
            static_cast<std::size_t>(block) * width * w.n;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (row(r) >= w.n) continue;
      const std::uint32_t place = s.place[row(r)];
#pragma unroll
      for (int c = 0; c < width; ++c)
        if (block * width + c < w.n)
          to[static_cast<std::size_t>(c) * w.n + place] = finite ? a[r][c] : nothing(T{});
    }
  }
  __device__ static __forceinline__ float nothing(float) { return __uint_as_float(0x7FC00000u); }
  __device__ static __forceinline__ double nothing(double) { return __hiloint2double(0x7FF80000, 0); }
};

template <class T, int threads, int rows, int width, int step>
__global__ void __launch_bounds__(threads) factor_columns(ColumnsWork<T> work) {
  __shared__ ColumnsShared<T, threads, rows, width, step> shared;
  Columns<T, threads, rows, width, step> columns(work, shared);
  for (std::uint32_t panel = 0; panel < columns.block * width / step; ++panel) columns.take(panel);
  columns.template factor_from<0>();
  columns.write();
}

}  // namespace datum::lu
