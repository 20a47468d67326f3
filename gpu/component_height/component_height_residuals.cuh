// Once a body's sums are known: residual steps about the top plane, the opening, and the boxes of the steps.
#pragma once

#include "gpu/component_height/component_height_device.cuh"

namespace datum::cuda {

/// Lowest of the 3 x 3 patch whose first pixel is each of the four.
struct Opening {
  std::int32_t highest = no_height;
  std::uint32_t patches = 0;

  __device__ void add(const std::int32_t* nm, long long pitch) {
    std::int32_t lowest[6];
#pragma unroll
    for (int r = 0; r < 3; ++r) {
      const int4 a = *reinterpret_cast<const int4*>(nm + r * pitch);
      const int2 b = *reinterpret_cast<const int2*>(nm + r * pitch + 4);
      const std::int32_t row[6] = {a.x, a.y, a.z, a.w, b.x, b.y};
#pragma unroll
      for (int k = 0; k < 6; ++k) lowest[k] = r == 0 || row[k] < lowest[k] ? row[k] : lowest[k];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::int32_t patch = min(min(lowest[k], lowest[k + 1]), lowest[k + 2]);
      patches += patch != no_height;
      highest = max(highest, patch);
    }
  }
};

/// A warp: adds its opening to the body's.
__device__ inline void add_opening(const Opening& own, BodyWork& work) {
  const std::uint32_t patches = __reduce_add_sync(0xFFFFFFFFu, own.patches);
  const std::int32_t highest = __reduce_max_sync(0xFFFFFFFFu, own.highest);
  if (threadIdx.x % 32 != 0 || patches == 0) return;
  atomicAdd(&work.patches, patches);
  atomicMax(&work.opened, highest);
}

/// Second pass: the residual steps and the opening.
__global__ void __launch_bounds__(body_threads) take_residuals(const DATUM_GRID_CONSTANT BodyBatch all) {
  const BoxTile tile = all.tiles[blockIdx.x];
  const std::uint32_t mask = all.masks[blockIdx.x * body_threads + threadIdx.x];
  const BodyTask& task = all.tasks[tile.region];
  BodyWork& work = all.work[tile.region];
  if (all.fits[tile.region].status != FitStatus::ok || work.active == 0) return;
  const int col = tile.col + col_in_tile();
  const height::TopPass top = work.top;
  const bool opened = task.opened != 0;
  Opening opening;
#pragma unroll
  for (int p = 0; p < row_groups; ++p) {
    if ((mask >> 4 * p & 15) == 0) continue;
    const int row = tile.row + row_in_tile(p);
    const std::int32_t* const at = task.nm + static_cast<long long>(row) * task.nm_pitch + col;
    const int4 four = *reinterpret_cast<const int4*>(at);
    const std::int32_t nm[4] = {four.x, four.y, four.z, four.w};
    const double top_row = height::top_at_row(top, task.window.row0 + row);
    std::uint16_t step[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      step[i] = packed_step(height::residual_step(top, top_row, task.window.col0 + col + i, nm[i]));
    *reinterpret_cast<ushort4*>(task.window.steps + static_cast<long long>(row) * task.window.pitch + col) =
        make_ushort4(step[0], step[1], step[2], step[3]);
    if (opened) opening.add(at, task.nm_pitch);
  }
  if (opened) add_opening(opening, work);
}

/// Third pass: the residuals' boxes. A body's last block writes what the last two passes found, and leaves it as the
/// next launch finds it.
__global__ void __launch_bounds__(body_threads) sum_residuals(const DATUM_GRID_CONSTANT BodyBatch all) {
  __shared__ BoxShared shared;
  __shared__ int flag;
  const BoxTile tile = all.tiles[blockIdx.x];
  const BodyTask& task = all.tasks[tile.region];
  BodyWork& work = all.work[tile.region];
  if (all.fits[tile.region].status != FitStatus::ok || work.active == 0) return;
  if (work.top.per_nm != 0) {
    fetch_steps(task.window, tile, shared);
    wait_for_steps();
    add_box_sums(tile, shared, work.boxes);
  }
  if (!arrives_last(&work.arrived[boxes_summed], task.tiles, &flag)) return;
  BodyRecord& out = *reinterpret_cast<BodyRecord*>(all.out + tile.region * all.stride);
  const int t = threadIdx.x;
  if (t < box_sums) {
    const std::int64_t sum = static_cast<std::int64_t>(__ldcg(&work.boxes[t]));
    (t == 0 ? out.residuals.squares : out.residuals.products[t - 1]) = sum;
    work.boxes[t] = 0;
  }
  if (t == 32) {
    out.patches = task.opened ? __ldcg(&work.patches) : 0;
    out.opened_max_nm = task.opened ? __ldcg(&work.opened) : 0;
    work.patches = 0;
    work.opened = INT32_MIN;
    work.arrived[boxes_summed] = 0;
  }
}

}  // namespace datum::cuda
