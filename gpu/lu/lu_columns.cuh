// One block of threads owns `width` columns of one matrix, in registers: a thread `rows` rows, tid + r * threads. It takes
// the columns of L that earlier blocks post, factors its own and posts them. Rows never move: `position` is where LAPACK
// would have put a row by now. A finished column leaves the registers and the others move up, so that one short loop
// serves every column: code that is run once comes from memory, four times slower than it is executed. What a row is after
// it became a pivot is kept in shared memory; its registers go on with numbers that nobody reads. C++17.
//
// Where not all blocks fit on the device at a time they take their columns in the order of their start, so that whoever
// waits for L waits for a block that runs. The places of the rows are known at the end only: all blocks of one matrix
// must fit.
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
  std::uint16_t* order;              // which row of A became row k
  typename Posted<T>::Word* posted;  // per matrix: L by columns
  uint2* choice;                     // per matrix: the pivots
  std::uint32_t* epochs;             // per matrix: launches so far
  unsigned long long* tickets;       // null where all blocks fit on the device at a time
  std::uint32_t n, blocks, matrices;
};

// A choice: the pivot's row, the position it was at, and whether the pivot is 0 or not finite.
constexpr std::uint32_t choice_zero = 1u << 30, choice_not_finite = 1u << 31;
__device__ __forceinline__ std::uint32_t row_of(std::uint32_t choice) { return choice & 0x7FFu; }
__device__ __forceinline__ std::uint32_t position_of(std::uint32_t choice) { return choice >> 16 & 0x7FFu; }

template <class T, int threads, int rows, int width>
struct ColumnsShared {
  static constexpr int warps = threads / 32;
  static constexpr int stride = threads * rows + 1;  // of finished: a row's columns lie in different banks
  Candidate<T> candidate[2][warps];
  alignas(16) T candidate_row[2][warps][width];
  alignas(16) T pivot_row[2][width];
  std::uint32_t choice[threads * rows];
  unsigned long long ticket;
  std::uint32_t first_zero, first_not_finite;
  T finished[width * stride];
};

/// `ahead`: columns of L that are read at a time.
template <class T, int threads, int rows, int width, int ahead>
struct Columns {
  using Shared = ColumnsShared<T, threads, rows, width>;
  static constexpr int warps = threads / 32, step = 8;

  const ColumnsWork<T>& w;
  Shared& s;
  std::uint32_t tid, lane, warp, matrix, block, epoch, n;
  typename Posted<T>::Word* posted;
  uint2* choice;
  T a[rows][width];
  std::uint32_t position[rows];
  bool done[rows];

  __device__ __forceinline__ Columns(const ColumnsWork<T>& work, Shared& shared)
      : w(work), s(shared), n(work.n) {
    tid = threadIdx.x;
    lane = tid % 32;
    warp = tid / 32;
    if (tid == 0) s.first_zero = s.first_not_finite = 0xFFFFFFFFu;
    std::uint32_t mine = blockIdx.x;
    if (w.tickets) {
      if (tid == 0) s.ticket = atomicAdd(w.tickets, 1ull);
      __syncthreads();
      mine = static_cast<std::uint32_t>(s.ticket % (static_cast<unsigned long long>(w.blocks) * w.matrices));
    }
    matrix = mine / w.blocks;
    block = mine % w.blocks;
    epoch = *static_cast<const volatile std::uint32_t*>(w.epochs + matrix) + 1;
    posted = w.posted + static_cast<std::size_t>(matrix) * n * n;
    choice = w.choice + static_cast<std::size_t>(matrix) * n;
    const T* from =
        w.a + static_cast<std::size_t>(matrix) * n * n + static_cast<std::size_t>(block) * width * n;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      position[r] = row(r);
      done[r] = row(r) >= n;
#pragma unroll
      for (int c = 0; c < width; ++c)
        a[r][c] = row(r) < n && block * width + c < n ? from[static_cast<std::size_t>(c) * n + row(r)] : T{0};
    }
  }

  __device__ __forceinline__ std::uint32_t row(int r) const { return tid + r * threads; }
  __device__ __forceinline__ T& finished(std::uint32_t column, std::uint32_t at) {
    return s.finished[column * Shared::stride + at];
  }

  /// Updates by columns first to first + ahead - 1 of L, which another block posts.
  __device__ __forceinline__ void take(std::uint32_t first) {
    T l[rows][ahead];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (!done[r])
        Posted<T>::template poll<ahead>(posted + static_cast<std::size_t>(first) * n + row(r), n, l[r],
                                        epoch);
    const std::uint32_t word = lane < ahead ? poll_word(choice + first + lane, epoch) : 0;
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      const std::uint32_t chosen = __shfl_sync(whole_warp, word, i), side = i & 1;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (settle(r, first + i, chosen)) {
#pragma unroll
          for (int c = 0; c < width; ++c) s.pivot_row[side][c] = a[r][c];
        }
      __syncthreads();
      const T* u = s.pivot_row[side];
      keep(i, 0, row_of(chosen), u, width);
      note(first + i, chosen);
#pragma unroll
      for (int c = 0; c < width; ++c) {
        const T v = u[c];
#pragma unroll
        for (int r = 0; r < rows; ++r) a[r][c] = fused(-l[r][i], v, a[r][c]);
      }
    }
  }

  /// A pivot's row is what it will stay: one warp puts its columns away.
  __device__ __forceinline__ void keep(std::uint32_t k, std::uint32_t column, std::uint32_t at, const T* u,
                                       int count) {
    if (warp == k % warps && lane < count) finished(column + lane, at) = u[lane];
  }

  /// Remembers a choice; one thread of the warp whose turn it is.
  __device__ __forceinline__ void note(std::uint32_t k, std::uint32_t chosen) {
    if (tid != k % warps * 32) return;
    s.choice[k] = chosen;
    if (chosen & choice_zero) atomicMin(&s.first_zero, k);
    if (chosen & choice_not_finite) atomicMin(&s.first_not_finite, k);
  }

  /// Exchanges positions as LAPACK would exchange rows; whether row r became pivot k.
  __device__ __forceinline__ bool settle(int r, std::uint32_t k, std::uint32_t chosen) {
    const bool is_pivot = row(r) == row_of(chosen);
    if (is_pivot) {
      position[r] = k;
      done[r] = true;
    } else if (position[r] == k) {
      position[r] = position_of(chosen);
    }
    return is_pivot;
  }

  /// The warp's best row to shared memory.
  template <int remaining>
  __device__ __forceinline__ void offer(std::uint32_t side) {
    using Key = KeyOf<T>;
    Key best = done[0] ? 0 : magnitude(a[0][0]) + 1;
    std::uint32_t lowest = position[0];
    T value = a[0][0];
    int which = 0;
#pragma unroll
    for (int r = 1; r < rows; ++r) {
      const Key key = done[r] ? 0 : magnitude(a[r][0]) + 1;
      if (key > best || (key == best && position[r] < lowest)) {
        best = key;
        lowest = position[r];
        value = a[r][0];
        which = r;
      }
    }
    const T reciprocal = reciprocal_of(value);
    const Key largest = warp_max(best);
    if (!is_best_lane(best, largest, lowest)) return;
    Candidate<T> c;
    c.key = largest;
    c.place = lowest << 16 | row(which);
    c.reciprocal = reciprocal;
    s.candidate[side][warp] = c;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (which == r) {
#pragma unroll
        for (int i = 0; i < remaining; ++i) s.candidate_row[side][warp][i] = a[r][i];
      }
  }

  /// One column, the first of `remaining`: all warps choose the same row and take it.
  template <int remaining>
  __device__ __forceinline__ void eliminate(std::uint32_t column) {
    const std::uint32_t k = block * width + column, side = column & 1;
    Candidate<T> best = s.candidate[side][0];
    int from = 0;
#pragma unroll
    for (int i = 1; i < warps; ++i) {
      const Candidate<T> c = s.candidate[side][i];
      if (c.key > best.key || (c.key == best.key && c.place < best.place)) {
        best = c;
        from = i;
      }
    }
    const T* u = s.candidate_row[side][from];
    const auto pivot_key = best.key - 1;
    T l[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) l[r] = a[r][0] * best.reciprocal;
    if (!has_reciprocal(pivot_key)) {
#pragma unroll
      for (int r = 0; r < rows; ++r) l[r] = pivot_key == 0 ? a[r][0] : quotient(a[r][0], u[0]);
    }
#pragma unroll
    for (int c = 1; c < remaining; ++c) {
      const T v = u[c];
#pragma unroll
      for (int r = 0; r < rows; ++r) a[r][c - 1] = fused(-l[r], v, a[r][c]);
    }
    const std::uint32_t chosen =
        best.place | (pivot_key == 0 ? choice_zero : 0u) | (is_finite(pivot_key) ? 0u : choice_not_finite);
    note(k, chosen);
    if (tid == k % warps * 32) post_word(choice + k, chosen, epoch);
    keep(k, column, row_of(best.place), u, width - column);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      settle(r, k, best.place);
      if (!done[r]) finished(column, row(r)) = l[r];
      if (block + 1 < w.blocks && row(r) < n)
        Posted<T>::post(posted + static_cast<std::size_t>(k) * n + row(r), l[r], epoch);
    }
  }

  template <int remaining>
  __device__ __forceinline__ void factor() {
#pragma unroll 1
    for (std::uint32_t column = width - remaining; column < width - remaining + step; ++column) {
      if (block * width + column >= n) return;
      offer<remaining>(column & 1);
      __syncthreads();
      eliminate<remaining>(column);
    }
    if constexpr (remaining > step) factor<remaining - step>();
  }

  /// Waits for the last choice; then every row knows its place.
  __device__ __forceinline__ void write() {
    for (std::uint32_t k = (block + 1) * width + tid; k < n; k += threads) {
      const std::uint32_t chosen = poll_word(choice + k, epoch);
      s.choice[k] = chosen;
      if (chosen & choice_zero) atomicMin(&s.first_zero, k);
      if (chosen & choice_not_finite) atomicMin(&s.first_not_finite, k);
    }
    __syncthreads();
    const bool finite = s.first_not_finite == 0xFFFFFFFFu;
    if (block + 1 == w.blocks) tell(finite);
    T* to =
        w.factors + static_cast<std::size_t>(matrix) * n * n + static_cast<std::size_t>(block) * width * n;
    const std::uint32_t columns = n - block * width < width ? n - block * width : width;
    for (std::uint32_t k = tid; k < n; k += threads) {
      const std::uint32_t at = row_of(s.choice[k]);
#pragma unroll 4
      for (std::uint32_t c = 0; c < columns; ++c)
        to[static_cast<std::size_t>(c) * n + k] = finite ? finished(c, at) : nothing(T{});
    }
  }

  /// The last block writes what belongs to the whole matrix.
  __device__ __forceinline__ void tell(bool finite) {
    const std::size_t first = static_cast<std::size_t>(matrix) * n;
    for (std::uint32_t k = tid; k < n; k += threads) {
      w.pivots[first + k] = static_cast<std::int32_t>((finite ? position_of(s.choice[k]) : k) + 1);
      w.order[first + k] = static_cast<std::uint16_t>(row_of(s.choice[k]));
    }
    if (tid != 0) return;
    w.epochs[matrix] = epoch;
    w.info[matrix] = finite ? static_cast<std::int32_t>(s.first_zero + 1)
                            : -static_cast<std::int32_t>(s.first_not_finite + 1);
  }
};

template <class T, int threads, int rows, int width, int ahead>
__global__ void __launch_bounds__(threads) factor_columns(ColumnsWork<T> work) {
  extern __shared__ __align__(16) unsigned char memory[];
  using Block = Columns<T, threads, rows, width, ahead>;
  Block columns(work, *reinterpret_cast<typename Block::Shared*>(memory));
#pragma unroll 1
  for (std::uint32_t k = 0; k < columns.block * width; k += ahead) columns.take(k);
  columns.template factor<width>();
  columns.write();
}

}  // namespace datum::lu
