// One block of threads owns `width` columns of one matrix, in registers: a thread `rows` rows, tid + r * threads. It takes
// the columns of L that earlier blocks post, factors its own and posts them. Rows never move: `position` is where LAPACK
// would have put a row by now. A finished column leaves the registers and the others move up, so that one short loop
// serves every column: code that is run once comes from memory, four times slower than it is executed. What a row is after
// it became a pivot is kept in shared memory; its registers go on with numbers that nobody reads. One warp more than there
// are rows for keeps the books: what is chosen, what is posted. C++17.
//
// Where not all blocks fit on the device at a time they take their columns in the order of their start, so that whoever
// waits for L waits for a block that runs. The places of the rows are known at the end only: all blocks of one matrix
// must fit.
//
// The columns are those of a whole square matrix, or a panel of a larger one (lu_blocked.cuh): `rows` rows from the
// diagonal on, factored in place.
#pragma once

#include "gpu/lu/lu_columns_work.cuh"

namespace datum::lu {

/// `ahead`: columns of L that are read at a time.
template <class T, int threads, int rows, int width, int ahead>
struct Columns {
  using Shared = ColumnsShared<T, threads, rows, width, ahead>;
  using Key = KeyOf<T>;
  static constexpr int warps = threads / 32, step = width < 8 ? width : 8, all_threads = threads + 32;
  static constexpr bool clerk_posts = threads * rows <= 128;  // one warp would be late with more rows
  static constexpr std::uint32_t done = 1u << 31;             // of a position: the row is a pivot's, or none

  struct Choice {
    Key key;
    std::uint32_t place;
    int from;
  };

  const ColumnsWork<T>& w;
  Shared& s;
  const std::uint32_t tid, lane, warp, n;
  std::uint32_t matrix, block, epoch;
  typename Posted<T>::Word* posted;
  uint2* choice;
  T a[rows][width];
  std::uint32_t position[rows];

  __device__ __forceinline__ Columns(const ColumnsWork<T>& work, Shared& shared)
      : w(work), s(shared), tid(threadIdx.x), lane(threadIdx.x % 32), warp(threadIdx.x / 32), n(work.n) {
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
    posted = w.posted + static_cast<std::size_t>(matrix) * n * w.columns;
    choice = w.choice + static_cast<std::size_t>(matrix) * w.columns;
    if (is_clerk()) return;
    const T* from = w.a + matrix * w.matrix_size + static_cast<std::size_t>(block) * width * w.leading;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      position[r] = row(r) < n ? row(r) : done | row(r);
#pragma unroll
      for (int c = 0; c < width; ++c)
        a[r][c] = row(r) < n && block * width + c < w.columns ? from[c * w.leading + row(r)] : T{0};
    }
  }

  __device__ __forceinline__ bool is_clerk() const { return warp == warps; }
  __device__ __forceinline__ std::uint32_t row(int r) const { return tid + r * threads; }
  __device__ __forceinline__ bool is_done(int r) const { return static_cast<std::int32_t>(position[r]) < 0; }
  __device__ __forceinline__ T& finished(std::uint32_t column, std::uint32_t at) {
    return s.finished[column * Shared::stride + at];
  }

  /// Exchanges positions as LAPACK would exchange rows.
  __device__ __forceinline__ void settle(int r, std::uint32_t k, std::uint32_t chosen) {
    const std::uint32_t moved = position[r] == k ? position_of(chosen) : position[r];
    position[r] = row(r) == row_of(chosen) ? (done | k) : moved;
  }

  /// Updates by columns first to first + ahead - 1 of L, which another block posts.
  __device__ __forceinline__ void take(std::uint32_t first) {
    T l[rows][ahead];
    if (!is_clerk()) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (!is_done(r))
          Posted<T>::template poll<ahead>(posted + static_cast<std::size_t>(first) * n + row(r), n, l[r],
                                          epoch);
    }
    const std::uint32_t word = lane < ahead ? poll_word(choice + first + lane, epoch) : 0;
    const std::uint32_t side = first / ahead & 1;
    if (!is_clerk()) {
      int pivot[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) pivot[r] = -1;
#pragma unroll
      for (int i = 0; i < ahead; ++i) {
        const std::uint32_t chosen = __shfl_sync(whole_warp, word, i);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          settle(r, first + i, chosen);
          if (row(r) == row_of(chosen)) pivot[r] = i;
        }
      }
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (pivot[r] >= 0) {
#pragma unroll
          for (int c = 0; c < width; ++c) s.pivot_rows[side][pivot[r]][c] = a[r][c];
#pragma unroll
          for (int i = 0; i < ahead; ++i) s.triangle[side][pivot[r]][i] = l[r][i];
        }
    }
    __syncthreads();
    solve_pivot_rows(side);
    if (is_clerk()) {
#pragma unroll
      for (int i = 0; i < ahead; ++i) {
        const std::uint32_t chosen = __shfl_sync(whole_warp, word, i);
        note(first + i, chosen);
        keep(0, row_of(chosen), s.upper[warps][i]);
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i)
#pragma unroll
      for (int c = 0; c < width; ++c) {
        const T v = s.upper[warp][i][c];
#pragma unroll
        for (int r = 0; r < rows; ++r) a[r][c] = fused(-l[r][i], v, a[r][c]);
      }
    __syncwarp();
  }

  /// The rows of U that some columns of L make of these columns; every warp makes its own copy.
  __device__ __forceinline__ void solve_pivot_rows(std::uint32_t side) {
#pragma unroll
    for (int c = static_cast<int>(lane); c < width; c += 32) {
      T u[ahead];
#pragma unroll
      for (int i = 0; i < ahead; ++i) u[i] = s.pivot_rows[side][i][c];
#pragma unroll
      for (int k = 0; k < ahead; ++k)
#pragma unroll
        for (int i = k + 1; i < ahead; ++i) u[i] = fused(-s.triangle[side][i][k], u[k], u[i]);
#pragma unroll
      for (int i = 0; i < ahead; ++i) s.upper[warp][i][c] = u[i];
    }
    __syncwarp();
  }

  /// The clerk remembers a choice.
  __device__ __forceinline__ void note(std::uint32_t k, std::uint32_t chosen) {
    if (lane != 0) return;
    s.choice[k] = chosen;
    if (chosen & choice_zero) atomicMin(&s.first_zero, k);
    if (chosen & choice_not_finite) atomicMin(&s.first_not_finite, k);
  }

  /// A pivot's row is what it will stay: the clerk puts it away, from a column on.
  __device__ __forceinline__ void keep(std::uint32_t column, std::uint32_t at, const T* u) {
#pragma unroll
    for (std::uint32_t c = lane; c < width; c += 32)
      if (c < width - column) finished(column + c, at) = u[c];
  }

  /// The clerk posts a column of L that has been finished before the last barrier.
  __device__ __forceinline__ void post(std::uint32_t column) {
    if (!clerk_posts || block + 1 == w.blocks) return;
    typename Posted<T>::Word* const to = posted + static_cast<std::size_t>(block * width + column) * n;
#pragma unroll 4
    for (std::uint32_t i = lane; i < n; i += 32) Posted<T>::post(to + i, finished(column, i), epoch);
  }

  /// The warp's best row to shared memory.
  template <int remaining>
  __device__ __forceinline__ void offer(std::uint32_t side) {
    Key best = is_done(0) ? 0 : magnitude(a[0][0]) + 1;
    std::uint32_t lowest = position[0];
    T value = a[0][0];
    int which = 0;
#pragma unroll
    for (int r = 1; r < rows; ++r) {
      const Key key = is_done(r) ? 0 : magnitude(a[r][0]) + 1;
      const bool better = (key > best) | ((key == best) & (position[r] < lowest));
      best = better ? key : best;
      lowest = better ? position[r] : lowest;
      value = better ? a[r][0] : value;
      which = better ? r : which;
    }
    const Key largest = warp_max(best);
    constexpr bool early =
        sizeof(T) == 4;  // a double's reciprocal takes longer than the search that would hide it
    T reciprocal{};
    if (early) reciprocal = reciprocal_of(value);
    if (!is_best_lane(best, largest, lowest)) return;
    if (!early) reciprocal = reciprocal_of(value);
    Candidate<T> c;
    c.key = largest;
    c.place = lowest << 16 | row(which);
    s.candidate[side][warp] = c;
    s.reciprocal[side][warp] = reciprocal;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (which == r) {
#pragma unroll
        for (int i = 0; i < remaining; ++i) s.candidate_row[side][warp][i] = a[r][i];
      }
  }

  /// The best of `count` warps' candidates.
  template <int first, int count>
  __device__ __forceinline__ Choice best_of(std::uint32_t side) const {
    if constexpr (count == 1) {
      const Candidate<T> c = s.candidate[side][first];
      return {c.key, c.place, first};
    } else {
      const Choice x = best_of<first, count / 2>(side),
                   y = best_of<first + count / 2, count - count / 2>(side);
      const bool second = (y.key > x.key) | ((y.key == x.key) & (y.place < x.place));
      return {second ? y.key : x.key, second ? y.place : x.place, second ? y.from : x.from};
    }
  }

  /// One column, the first of `remaining`: all choose the same row and take it.
  template <int remaining>
  __device__ __forceinline__ void eliminate(std::uint32_t column) {
    const std::uint32_t side = column & 1;
    const Choice best = best_of<0, warps>(side);
    const T* const u = s.candidate_row[side][best.from];
    const T reciprocal = s.reciprocal[side][best.from];
    const Key pivot_key = best.key - 1;
    T l[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) l[r] = a[r][0] * reciprocal;
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
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      settle(r, block * width + column, best.place);
      if (!is_done(r)) finished(column, row(r)) = l[r];
      if (!clerk_posts && block + 1 < w.blocks && row(r) < n)
        Posted<T>::post(posted + static_cast<std::size_t>(block * width + column) * n + row(r), l[r], epoch);
    }
  }

  /// What the clerk does for the same column.
  __device__ __forceinline__ void record(std::uint32_t column) {
    const std::uint32_t k = block * width + column, side = column & 1;
    const Choice best = best_of<0, warps>(side);
    const Key pivot_key = best.key - 1;
    const std::uint32_t chosen =
        best.place | (pivot_key == 0 ? choice_zero : 0u) | (is_finite(pivot_key) ? 0u : choice_not_finite);
    if (lane == 0) post_word(choice + k, chosen, epoch);
    note(k, chosen);
    keep(column, row_of(chosen), s.candidate_row[side][best.from]);
    if (column > 0) post(column - 1);
  }

  template <int remaining>
  __device__ __forceinline__ void factor() {
#pragma unroll 1
    for (std::uint32_t column = width - remaining; column < width - remaining + step; ++column) {
      if (block * width + column >= w.columns) return;
      if (!is_clerk()) offer<remaining>(column & 1);
      __syncthreads();
      if (is_clerk()) {
        record(column);
      } else {
        eliminate<remaining>(column);
      }
    }
    if constexpr (remaining > step) factor<remaining - step>();
  }

  /// Waits for the last choice; then every row knows its place.
  __device__ __forceinline__ void write() {
    __syncthreads();
    if (is_clerk()) post(width - 1);
    for (std::uint32_t k = (block + 1) * width + tid; k < w.columns; k += all_threads) {
      const std::uint32_t chosen = poll_word(choice + k, epoch);
      s.choice[k] = chosen;
      if (chosen & choice_zero) atomicMin(&s.first_zero, k);
      if (chosen & choice_not_finite) atomicMin(&s.first_not_finite, k);
    }
    __syncthreads();
    if (w.columns < n) place_the_rest();
    const bool finite = s.first_not_finite == 0xFFFFFFFFu;
    if (block + 1 == w.blocks) tell(finite);
    T* to = w.factors + matrix * w.matrix_size + static_cast<std::size_t>(block) * width * w.leading;
    const std::uint32_t columns = w.columns - block * width < width ? w.columns - block * width : width;
    for (std::uint32_t k = tid; k < n; k += all_threads) {
      const std::uint32_t at = row_of(s.choice[k]);
#pragma unroll 4
      for (std::uint32_t c = 0; c < columns; ++c)
        to[c * w.leading + k] = finite ? finished(c, at) : nothing(T{});
    }
  }

  /// The rows that no column has chosen: s.choice[k] names that at place k, as for the others.
  __device__ __forceinline__ void place_the_rest() {
    if (!is_clerk()) {
#pragma unroll 1
      for (std::uint32_t k = (block + 1) * width; k < w.columns; ++k) {
        const std::uint32_t chosen = s.choice[k];
#pragma unroll
        for (int r = 0; r < rows; ++r) settle(r, k, chosen);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (!is_done(r)) s.choice[position[r]] = row(r);
    }
    __syncthreads();
  }

  /// The last block writes what belongs to the whole matrix.
  __device__ __forceinline__ void tell(bool finite) {
    std::int32_t* const pivots = w.pivots + static_cast<std::size_t>(matrix) * w.all_rows + w.first;
    for (std::uint32_t k = tid; k < w.columns; k += all_threads)
      pivots[k] = static_cast<std::int32_t>((finite ? position_of(s.choice[k]) : k) + w.first + 1);
    std::uint16_t* const order = w.order + static_cast<std::size_t>(matrix) * w.all_rows + w.first;
    if (w.panel.top) {
      tell_panel(order);
    } else {
      for (std::uint32_t k = tid; k < n; k += all_threads)
        order[k] = static_cast<std::uint16_t>(row_of(s.choice[k]));
    }
    if (tid != 0) return;
    w.epochs[matrix] = epoch;
    const std::int32_t before = w.first == 0 ? 0 : w.info[matrix];
    const std::int32_t here = finite ? static_cast<std::int32_t>(s.first_zero + 1)
                                     : -static_cast<std::int32_t>(s.first_not_finite + 1);
    const auto first = static_cast<std::int32_t>(w.first);
    if (before < 0 || (before > 0 && here >= 0)) return;
    w.info[matrix] = here > 0 ? here + first : (here < 0 ? here - first : 0);
  }

  /// Moves the rows of `order` as the panel does, and says where they went.
  __device__ __forceinline__ void tell_panel(std::uint16_t* order) {
    constexpr std::uint32_t each = (threads * rows + all_threads - 1) / all_threads;
    std::uint16_t moved[each];
    std::uint16_t* const top = w.panel.top + matrix * w.columns;
    std::uint16_t* const place = w.panel.place + matrix * w.columns;
    std::uint16_t* const where = w.panel.where + static_cast<std::size_t>(matrix) * w.all_rows;
#pragma unroll
    for (std::uint32_t i = 0; i < each; ++i) {
      const std::uint32_t k = tid + i * all_threads;
      if (k >= n) continue;
      const std::uint32_t from = row_of(s.choice[k]);
      moved[i] = w.first == 0 ? static_cast<std::uint16_t>(from) : order[from];
      if (k < w.columns) top[k] = static_cast<std::uint16_t>(from);
      if (from < w.columns) place[from] = static_cast<std::uint16_t>(k);
    }
    __syncthreads();
#pragma unroll
    for (std::uint32_t i = 0; i < each; ++i) {
      const std::uint32_t k = tid + i * all_threads;
      if (k >= n) continue;
      order[k] = moved[i];
      where[moved[i]] = static_cast<std::uint16_t>(w.first + k);
    }
  }
};

template <class T, int threads, int rows, int width, int ahead>
__global__ void __launch_bounds__(threads + 32) factor_columns(ColumnsWork<T> work) {
  extern __shared__ __align__(16) unsigned char memory[];
  using Block = Columns<T, threads, rows, width, ahead>;
  Block columns(work, *reinterpret_cast<typename Block::Shared*>(memory));
#pragma unroll 1
  for (std::uint32_t k = 0; k < columns.block * width; k += ahead) columns.take(k);
  columns.template factor<width>();
  columns.write();
}

}  // namespace datum::lu
