// Balls sorted into cells on the device: bounds of each level, cells counted, a scan, balls scattered. Where a ball lies
// within its cell depends on the order of atomic additions; a match does not (surface_match_math.h). C++17.
#pragma once

#include <vector>

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/surface_match/cell_grid.h"

namespace datum::match {
namespace {

constexpr int cell_threads = 256, scan_each = 16, scan_tile = cell_threads * scan_each;
constexpr std::uint32_t no_cell = 0xFFFFFFFFu, most_samples = 4096;
constexpr std::chrono::milliseconds cells_timeout{2000};

/// Floats as integers of the same order.
__device__ __forceinline__ int ordered(float v) {
  const int b = __float_as_int(v);
  return b < 0 ? b ^ 0x7FFFFFFF : b;
}
inline float from_ordered(int v) {
  const int b = v < 0 ? v ^ 0x7FFFFFFF : v;
  float f;  // NOLINT(cppcoreguidelines-init-variables): written next
  std::memcpy(&f, &b, sizeof f);
  return f;
}

/// Of one level: the least and the largest coordinates and the largest radius, ordered; how many balls.
struct LevelBounds {
  int low[3], high[3], most_radius;
  std::uint32_t count;
};

struct Levels {
  Grid grid[most_levels];
  std::uint8_t index[most_levels];  // of each level's grid
  float limit;
};

__device__ __forceinline__ Ball ball_at(const float4* balls, std::uint32_t i) {
  const float4 b = balls[i];
  return Ball{b.x, b.y, b.z, b.w};
}

__global__ void sample_radii(const float4* balls, std::uint32_t count, std::uint32_t step, float* out) {
  const std::uint32_t at = blockIdx.x * cell_threads + threadIdx.x;
  if (at >= most_samples) return;
  const std::uint64_t i = std::uint64_t{at} * step;
  const bool is_there = i < count && usable(ball_at(balls, static_cast<std::uint32_t>(i)));
  out[at] = is_there ? balls[i].w : -1.f;
}

__global__ void __launch_bounds__(cell_threads)
    find_bounds(const float4* balls, std::uint32_t count, float limit, LevelBounds* out) {
  __shared__ LevelBounds mine[most_levels];
  for (int i = threadIdx.x; i < most_levels; i += cell_threads)
    mine[i] = LevelBounds{{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}, INT32_MIN, 0};
  __syncthreads();
  const std::uint32_t share = gridDim.x * cell_threads;
  // whole warps: all lanes take part in the reductions
  for (std::uint32_t first = blockIdx.x * cell_threads + threadIdx.x / 32 * 32; first < count;
       first += share) {
    const std::uint32_t i = first + threadIdx.x % 32;
    const Ball b = i < count ? ball_at(balls, i) : Ball{0, 0, 0, 2e15f};
    const bool counts = usable(b);
    const std::uint32_t level = counts ? level_of(b.radius, limit) : most_levels;
    const int at[3] = {ordered(b.x), ordered(b.y), ordered(b.z)};
    for (unsigned left = __ballot_sync(0xFFFFFFFFu, counts); left != 0;) {
      const std::uint32_t of = __shfl_sync(0xFFFFFFFFu, level, __ffs(static_cast<int>(left)) - 1);
      const bool here = level == of;
      const unsigned these = __ballot_sync(0xFFFFFFFFu, here);
      for (int k = 0; k < 3; ++k) {
        const int low = __reduce_min_sync(0xFFFFFFFFu, here ? at[k] : INT32_MAX);
        const int high = __reduce_max_sync(0xFFFFFFFFu, here ? at[k] : INT32_MIN);
        if (threadIdx.x % 32 != 0) continue;
        atomicMin(&mine[of].low[k], low);
        atomicMax(&mine[of].high[k], high);
      }
      const int radius = __reduce_max_sync(0xFFFFFFFFu, here ? ordered(b.radius) : INT32_MIN);
      if (threadIdx.x % 32 == 0) {
        atomicMax(&mine[of].most_radius, radius);
        atomicAdd(&mine[of].count, __popc(these));
      }
      left &= ~these;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < most_levels; i += cell_threads) {
    if (mine[i].count == 0) continue;
    for (int k = 0; k < 3; ++k) {
      atomicMin(&out[i].low[k], mine[i].low[k]);
      atomicMax(&out[i].high[k], mine[i].high[k]);
    }
    atomicMax(&out[i].most_radius, mine[i].most_radius);
    atomicAdd(&out[i].count, mine[i].count);
  }
}

/// Each ball's cell and its place there; counts: of each cell, 0 before.
__global__ void __launch_bounds__(cell_threads)
    count_cells(const float4* balls, std::uint32_t count, const DATUM_GRID_CONSTANT Levels levels,
                uint2* place, std::uint32_t* counts) {
  const std::uint32_t i = blockIdx.x * cell_threads + threadIdx.x;
  if (i >= count) return;
  const Ball b = ball_at(balls, i);
  uint2 found{no_cell, 0};
  if (usable(b)) {
    const Grid& g = levels.grid[levels.index[level_of(b.radius, levels.limit)]];
    found.x = g.first_cell + (cell_of(g, 2, b.z) * g.cells[1] + cell_of(g, 1, b.y)) * g.cells[0] +
              cell_of(g, 0, b.x);
    found.y = atomicAdd(counts + found.x, 1u);
  }
  place[i] = found;
}

/// Exclusive sums of a tile's counts, in place where `base` is given; else only the tile's sum.
__global__ void __launch_bounds__(cell_threads)
    scan_cells(std::uint32_t* counts, std::uint32_t size, std::uint32_t* sums, bool in_place) {
  __shared__ std::uint32_t warp_sum[cell_threads / 32];
  const std::uint32_t first = blockIdx.x * scan_tile + threadIdx.x * scan_each;
  std::uint32_t mine[scan_each], sum = 0;
  for (int k = 0; k < scan_each; ++k) {
    mine[k] = first + k < size ? counts[first + k] : 0;
    sum += mine[k];
  }
  std::uint32_t upto = sum;
  for (int d = 1; d < 32; d *= 2) {
    const std::uint32_t before = __shfl_up_sync(0xFFFFFFFFu, upto, d);
    if (threadIdx.x % 32 >= d) upto += before;
  }
  if (threadIdx.x % 32 == 31) warp_sum[threadIdx.x / 32] = upto;
  __syncthreads();
  std::uint32_t base = in_place ? sums[blockIdx.x] : 0;
  for (int w = 0; w < static_cast<int>(threadIdx.x / 32); ++w) base += warp_sum[w];
  if (!in_place) {
    if (threadIdx.x == cell_threads - 1) sums[blockIdx.x] = base + upto;
    return;
  }
  base += upto - sum;
  for (int k = 0; k < scan_each; ++k) {
    if (first + k < size) counts[first + k] = base;
    base += mine[k];
  }
}

/// Exclusive sums of the tiles' sums, by one block.
__global__ void __launch_bounds__(cell_threads) scan_sums(std::uint32_t* sums, std::uint32_t size) {
  __shared__ std::uint32_t part[cell_threads];
  std::uint32_t base = 0;
  for (std::uint32_t first = 0; first < size; first += cell_threads) {
    const std::uint32_t at = first + threadIdx.x, mine = at < size ? sums[at] : 0;
    part[threadIdx.x] = mine;
    for (int d = 1; d < cell_threads; d *= 2) {
      __syncthreads();
      const std::uint32_t before = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
      __syncthreads();
      part[threadIdx.x] += before;
    }
    __syncthreads();
    if (at < size) sums[at] = base + part[threadIdx.x] - mine;
    base += part[cell_threads - 1];
    __syncthreads();
  }
}

__global__ void __launch_bounds__(cell_threads)
    scatter_balls(const float4* balls, const uint2* place, std::uint32_t count, const std::uint32_t* begin,
                  float4* sorted, std::uint32_t* number) {
  const std::uint32_t i = blockIdx.x * cell_threads + threadIdx.x;
  if (i >= count || place[i].x == no_cell) return;
  const std::uint32_t at = begin[place[i].x] + place[i].y;
  sorted[at] = balls[i];
  number[at] = i;
}

inline unsigned cell_blocks(std::uint32_t count) { return (count + cell_threads - 1) / cell_threads; }

/// Sorted balls and their cells in device memory, as a search reads them. Its memory is kept from surface to surface.
class DeviceCells {
 public:
  /// The balls to be sorted next.
  float4* balls_for(std::uint32_t count) {
    balls_.reserve(std::max(count, 1u));
    return balls_.get();
  }

  /// Sorts `count` balls; waits for their bounds. `radii`: whether they have any.
  void build(cudaStream_t stream, std::uint32_t count, bool radii) {
    levels_ = size_ = 0;
    farthest_ = 0;
    if (count == 0) return;
    const float limit = radii ? limit_of(samples(stream, count)) : limit_of({});
    const std::uint32_t cells = take_bounds(bounds(stream, count, limit), limit);
    if (size_ == 0) return;
    place_.reserve(count);
    sorted_.reserve(size_);
    number_.reserve(size_);
    begin_.reserve(cells);
    const std::uint32_t tiles = (cells + scan_tile - 1) / scan_tile;
    sums_.reserve(tiles);
    cuda::check(cudaMemsetAsync(begin_.get(), 0, cells * sizeof(std::uint32_t), stream),
                "cells of a surface");
    count_cells<<<cell_blocks(count), cell_threads, 0, stream>>>(balls_.get(), count, of_level_, place_.get(),
                                                                 begin_.get());
    scan_cells<<<tiles, cell_threads, 0, stream>>>(begin_.get(), cells, sums_.get(), false);
    scan_sums<<<1, cell_threads, 0, stream>>>(sums_.get(), tiles);
    scan_cells<<<tiles, cell_threads, 0, stream>>>(begin_.get(), cells, sums_.get(), true);
    scatter_balls<<<cell_blocks(count), cell_threads, 0, stream>>>(
        balls_.get(), place_.get(), count, begin_.get(), sorted_.get(), number_.get());
    cuda::check(cudaGetLastError(), "launch of the sorting into cells");
  }

  std::uint32_t size() const { return size_; }
  std::uint32_t levels() const { return levels_; }
  const Grid* grids() const { return of_level_.grid; }
  const std::uint32_t* begin() const { return begin_.get(); }
  const float4* sorted() const { return sorted_.get(); }
  const std::uint32_t* number() const { return number_.get(); }
  float farthest() const { return farthest_; }

 private:
  std::vector<float> samples(cudaStream_t stream, std::uint32_t count) {
    sample_.reserve(most_samples);
    sample_radii<<<cell_blocks(most_samples), cell_threads, 0, stream>>>(
        balls_.get(), count, count / most_samples + 1, sample_.get());
    cuda::check(cudaGetLastError(), "launch of the sampling of sizes");
    cuda::wait(stream, cells_timeout, "sizes of a surface");
    std::vector<float> radii;
    for (std::uint32_t i = 0; i < most_samples; ++i)
      if (sample_.get()[i] >= 0) radii.push_back(sample_.get()[i]);
    return radii;
  }

  const LevelBounds* bounds(cudaStream_t stream, std::uint32_t count, float limit) {
    bounds_.reserve(most_levels);
    seen_.reserve(most_levels);
    for (int i = 0; i < most_levels; ++i)
      seen_.get()[i] =
          LevelBounds{{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}, INT32_MIN, 0};
    const std::size_t bytes = most_levels * sizeof(LevelBounds);
    cuda::check(cudaMemcpyAsync(bounds_.get(), seen_.get(), bytes, cudaMemcpyHostToDevice, stream), "bounds");
    find_bounds<<<std::min(cell_blocks(count), 1056u), cell_threads, 0, stream>>>(balls_.get(), count, limit,
                                                                                  bounds_.get());
    cuda::check(cudaGetLastError(), "launch of the bounds of a surface");
    cuda::check(cudaMemcpyAsync(seen_.get(), bounds_.get(), bytes, cudaMemcpyDeviceToHost, stream), "bounds");
    cuda::wait(stream, cells_timeout, "bounds of a surface");
    return seen_.get();
  }

  /// Grids of the levels that hold balls. Returns the number of all cells.
  std::uint32_t take_bounds(const LevelBounds* of, float limit) {
    std::uint32_t cells = 0;
    of_level_.limit = limit;
    for (int level = 0; level < most_levels; ++level) {
      if (of[level].count == 0) continue;
      Bounds b{};
      b.count = of[level].count;
      b.most_radius = from_ordered(of[level].most_radius);
      for (int k = 0; k < 3; ++k) {
        b.low[k] = from_ordered(of[level].low[k]);
        b.high[k] = from_ordered(of[level].high[k]);
        farthest_ = std::max({farthest_, std::fabs(b.low[k]), std::fabs(b.high[k])});
      }
      Grid g = grid_over(b);
      g.first_cell = cells;
      cells += g.cells[0] * g.cells[1] * g.cells[2] + 1;
      size_ += b.count;
      of_level_.index[level] = static_cast<std::uint8_t>(levels_);
      of_level_.grid[levels_++] = g;
    }
    return cells;
  }

  cuda::Buffer<float4> balls_, sorted_;
  cuda::Buffer<uint2> place_;
  cuda::Buffer<std::uint32_t> begin_, sums_, number_;
  cuda::Buffer<LevelBounds> bounds_, seen_{cuda::Where::host_mapped};
  cuda::Buffer<float> sample_{cuda::Where::host_mapped};
  Levels of_level_{};
  std::uint32_t levels_ = 0, size_ = 0;
  float farthest_ = 0;
};

}  // namespace
}  // namespace datum::match
