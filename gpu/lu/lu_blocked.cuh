// Matrices that one kernel of columns cannot hold, and batches that it is too slow for: panels of 64 columns (lu_columns.cuh),
// each followed by the triangle and the product of what lies right of it. The columns left of a panel keep the order of
// their own panel until the end. C++17.
#pragma once

#include <vector>

#include "gpu/core/cuda_support.cuh"
#include "gpu/lu/lu_columns.cuh"
#include "gpu/lu/lu_look_ahead.cuh"
#include "gpu/lu/lu_trailing.cuh"

namespace datum::lu {

/// A kernel of columns and its shape.
template <class T>
struct Shape {
  void (*kernel)(ColumnsWork<T>);
  std::uint32_t most_rows, threads, width, shared_bytes;
};

template <class T, int threads, int rows, int width, int ahead>
Shape<T> shape() {
  static_assert(sizeof(ColumnsShared<T, threads, rows, width, ahead>) <= cuda::orin_shared_bytes);
  return {factor_columns<T, threads, rows, width, ahead>, threads * rows, threads + 32, width,
          static_cast<std::uint32_t>(sizeof(ColumnsShared<T, threads, rows, width, ahead>))};
}

/// The kernel that serves n rows and as many columns; a panel of n rows.
template <class T>
Shape<T> shape_for(std::uint32_t n);
template <class T>
Shape<T> panel_shape_for(std::uint32_t n);

/// How many blocks of a kernel the device holds at a time. Throws GpuError (not lost) where they are fewer than `needed`.
template <class T>
std::size_t resident_blocks(const Shape<T>& shape, std::uint32_t n, std::uint32_t needed) {
  int resident = 0, multiprocessors = 0;
  cuda::check(cudaFuncSetAttribute(shape.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shape.shared_bytes)),
              "shared memory of LU");
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &resident, shape.kernel, static_cast<int>(shape.threads), shape.shared_bytes),
              "blocks of LU on a multiprocessor");
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  const std::size_t all = static_cast<std::size_t>(resident) * static_cast<std::size_t>(multiprocessors);
  if (needed > all)
    throw GpuError("CUDA: LU of " + std::to_string(n) + " rows needs " + std::to_string(needed) +
                       " blocks at a time and this device holds " + std::to_string(all) +
                       "; factor on the CPU",
                   false);
  return all;
}

/// Copies between matrices of n rows side by side and padded ones.
template <class T>
struct CopyWork {
  const T* from;
  T* to;
  std::size_t leading_from, leading_to, apart_from, apart_to;
  std::uint32_t rows;
  const std::uint16_t* order;  // which row of `from` becomes row i of `to`; null: row i
  const std::uint16_t*
      where;  // per panel and matrix: rows below a panel lie where it left them; null: as above
  const std::int32_t* info;  // null: whatever it is
  bool solved;               // what is not: NaN where info is not 0; otherwise where it is negative
};

template <class T>
__global__ void __launch_bounds__(256) copy_matrix(const CopyWork<T> w) {
  const std::uint32_t i = blockIdx.x * 256 + threadIdx.x, j = blockIdx.y;
  const std::size_t matrix = blockIdx.z;
  if (i >= w.rows) return;
  std::uint32_t row = i;
  if (w.order) row = w.order[matrix * w.rows + i];
  if (w.where) row = i / panel <= j / panel ? i : w.where[(j / panel * gridDim.z + matrix) * w.rows + row];
  T v = w.from[matrix * w.apart_from + j * w.leading_from + row];
  if (w.info && (w.solved ? w.info[matrix] != 0 : w.info[matrix] < 0)) v = nothing(T{});
  w.to[matrix * w.apart_to + j * w.leading_to + i] = v;
}

/// Where nothing was factored, no row was exchanged.
static __global__ void __launch_bounds__(256)
    blank_pivots(std::int32_t* pivots, const std::int32_t* info, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && info[blockIdx.y] < 0)
    pivots[std::size_t{blockIdx.y} * n + i] = static_cast<std::int32_t>(i + 1);
}

template <class T>
__global__ void __launch_bounds__(256) identity(T* b, std::uint32_t n) {
  const std::uint32_t i = blockIdx.x * 256 + threadIdx.x, j = blockIdx.y;
  if (i < n) b[(std::size_t{blockIdx.z} * n + j) * n + i] = i == j ? T{1} : T{0};
}

template <class T>
class Blocked {
 public:
  /// Takes all memory. Throws GpuError as resident_blocks.
  void prepare(std::uint32_t n, std::size_t batch) {
    n_ = n;
    batch_ = static_cast<unsigned>(batch);
    ahead_.prepare();
    panels_.clear();
    for (std::uint32_t first = 0; first < n; first += panel) {
      const Shape<T> shape = panel_shape_for<T>(n - first);
      const std::uint32_t columns = n - first < panel ? n - first : panel;
      const std::uint32_t blocks = (columns + shape.width - 1) / shape.width;
      panels_.push_back({shape, first, columns, blocks, resident_blocks(shape, n, blocks) >= blocks * batch});
    }
    cuda::zeroed(work_, apart() * batch + panel, "working copy of LU");
    cuda::zeroed(factors_, apart() * batch + panel, "factors of LU");
    cuda::zeroed(posted_, n * std::size_t{panel} * batch, "columns of LU");
    cuda::zeroed(choice_, panel * batch, "pivots of LU");
    cuda::zeroed(epochs_, batch, "epochs of LU");
    cuda::zeroed(tickets_, panels_.size(), "tickets of LU");
    top_.reserve(panel * batch * panels_.size());
    place_.reserve(panel * batch * panels_.size());
    where_.reserve(n * batch * panels_.size());
    cuda::check(cudaFuncSetAttribute(subtract_product<T, false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     SubtractShape<T>::shared_bytes),
                "shared memory of LU");
    cuda::check(cudaFuncSetAttribute(subtract_product<T, true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     SubtractShape<T>::shared_bytes),
                "shared memory of LU");
  }

  std::size_t leading() const { return padded(n_); }
  std::size_t apart() const { return leading() * leading(); }
  const T* factors() const { return factors_.get(); }

  /// `a`: matrices side by side; order: which row of A became row k.
  void factor(cudaStream_t stream, const T* a, std::int32_t* pivots, std::int32_t* info,
              std::uint16_t* order) {
    const std::size_t side = std::size_t{n_} * n_, ld = leading();
    copy(stream, n_, {a, work_.get(), n_, ld, side, apart(), n_, nullptr, nullptr, nullptr, false});
    ahead_.begin(stream);
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      factor_panel(p, pivots, info, order);
      const std::uint32_t begin = panels_[p].first + panels_[p].columns;
      if (begin == n_) break;
      const std::uint32_t next = n_ - begin < panel ? n_ - begin : panel;
      ahead_.wait_for_rest();
      update(ahead_.chain(), p, begin, next);
      if (begin + next == n_) continue;
      ahead_.rest_may_begin();
      update(ahead_.rest(), p, begin + next, n_ - begin - next);
      ahead_.rest_is_enqueued();
    }
    ahead_.end(stream);
    copy(stream, n_,
         {work_.get(), factors_.get(), ld, ld, apart(), apart(), n_, order, where_.get(), info, false});
    blank_pivots<<<dim3((n_ + 255) / 256, batch_), 256, 0, stream>>>(pivots, info, n_);
    cuda::check(cudaGetLastError(), "launch of LU");
  }

  /// The factors side by side, in memory that the next factor() overwrites.
  const T* side_by_side(cudaStream_t stream) {
    copy(stream, n_,
         {factors_.get(), work_.get(), leading(), n_, apart(), std::size_t{n_} * n_, n_, nullptr, nullptr,
          nullptr, false});
    return work_.get();
  }

  void prepare_sides(std::uint32_t columns) {
    cuda::zeroed(sides_, leading() * padded_sides(columns) * batch_ + panel, "right-hand sides of LU");
  }

  /// `columns` right-hand sides for each matrix, matrix after matrix.
  void solve_sides(cudaStream_t stream, const std::uint16_t* order, const std::int32_t* info, const T* b,
                   T* x, std::uint32_t columns) {
    const std::size_t ld = leading(), sides = ld * padded_sides(columns), given = std::size_t{n_} * columns;
    copy(stream, columns, {b, sides_.get(), n_, ld, given, sides, n_, order, nullptr, nullptr, false});
    for (const Panel& one : panels_) {
      const T* const corner = factors_.get() + one.first * (ld + 1);
      T* const at = sides_.get() + one.first;
      solve<false>(stream, {corner, ld, apart(), at, ld, sides, nullptr, nullptr, one.columns}, columns);
      const std::uint32_t below = n_ - one.first - one.columns;
      if (below > 0)
        subtract<false>(stream, {corner + panel, at, at + panel, ld, ld, ld, apart(), sides, sides, below,
                                 columns, panel});
    }
    for (std::size_t p = panels_.size(); p-- > 0;) {
      const Panel& one = panels_[p];
      const T* const corner = factors_.get() + one.first * (ld + 1);
      T* const at = sides_.get() + one.first;
      solve<true>(stream, {corner, ld, apart(), at, ld, sides, nullptr, nullptr, one.columns}, columns);
      if (one.first > 0)
        subtract<true>(stream, {factors_.get() + one.first * ld, at, sides_.get(), ld, ld, ld, apart(), sides,
                                sides, one.first, columns, one.columns});
    }
    copy(stream, columns, {sides_.get(), x, ld, n_, sides, given, n_, nullptr, nullptr, info, true});
    cuda::check(cudaGetLastError(), "launch of the solution with LU");
  }

 private:
  struct Panel {
    Shape<T> shape;
    std::uint32_t first, columns, blocks;
    bool all_fit;
  };

  void factor_panel(std::size_t p, std::int32_t* pivots, std::int32_t* info, std::uint16_t* order) {
    const Panel& one = panels_[p];
    const std::size_t ld = leading();
    T* const corner = work_.get() + one.first * (ld + 1);
    const PanelPlaces places{top_.get() + p * panel * batch_, place_.get() + p * panel * batch_,
                             where_.get() + p * batch_ * n_};
    one.shape.kernel<<<one.blocks * batch_, one.shape.threads, one.shape.shared_bytes, ahead_.chain()>>>(
        {corner, corner, pivots, info, order, posted_.get(), choice_.get(), epochs_.get(),
         one.all_fit ? nullptr : tickets_.get() + p, n_ - one.first, one.columns, one.first, n_, ld, apart(),
         one.blocks, batch_, places});
  }

  /// What panel p does to the columns from `begin` on.
  void update(cudaStream_t stream, std::size_t p, std::uint32_t begin, std::uint32_t columns) {
    const std::size_t ld = leading();
    const std::uint32_t first = panels_[p].first, below = n_ - first - panel;
    const T* const corner = work_.get() + first * (ld + 1);
    T* const right = work_.get() + first + begin * ld;
    solve<false>(stream,
                 {corner, ld, apart(), right, ld, apart(), top_.get() + p * panel * batch_,
                  place_.get() + p * panel * batch_, panel},
                 columns);
    subtract<false>(stream, {corner + panel, right, right + panel, ld, ld, ld, apart(), apart(), apart(),
                             below, columns, panel});
  }

  static std::size_t padded_sides(std::uint32_t columns) { return (columns + 127) / 128 * std::size_t{128}; }

  void copy(cudaStream_t stream, std::uint32_t columns, const CopyWork<T>& work) {
    copy_matrix<<<dim3((work.rows + 255) / 256, columns, batch_), 256, 0, stream>>>(work);
  }
  template <bool upper>
  void solve(cudaStream_t stream, const TriangleWork<T>& work, std::uint32_t columns) {
    constexpr unsigned each = solve_warps * solve_columns;
    solve_triangle<T, upper>
        <<<dim3((columns + each - 1) / each, batch_), 32 * solve_warps, 0, stream>>>(work);
  }
  template <bool descending>
  void subtract(cudaStream_t stream, const SubtractWork<T>& work) {
    using S = SubtractShape<T>;
    const dim3 tiles((work.rows + S::tile_rows - 1) / S::tile_rows,
                     (work.columns + S::tile_columns - 1) / S::tile_columns, batch_);
    subtract_product<T, descending><<<tiles, 256, S::shared_bytes, stream>>>(work);
  }

  std::uint32_t n_ = 0;
  unsigned batch_ = 0;
  std::vector<Panel> panels_;
  LookAhead ahead_;
  cuda::Buffer<T> work_, factors_, sides_;
  cuda::Buffer<typename Posted<T>::Word> posted_;
  cuda::Buffer<uint2> choice_;
  cuda::Buffer<std::uint32_t> epochs_;
  cuda::Buffer<unsigned long long> tickets_;
  cuda::Buffer<std::uint16_t> top_, place_, where_;
};

}  // namespace datum::lu
