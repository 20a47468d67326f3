// Batch: what the kernels know of the planes, and the device memory in which they work.
#pragma once

#include <cstdint>

#include "gpu/core/height_map.h"
#include "gpu/plane_fit/refinement.h"
#include "gpu/plane_fit/scheduler.cuh"

namespace datum::cuda {

constexpr int block_threads = 256, block_warps = block_threads / 32, blocks_per_multiprocessor = 4;
constexpr int max_subset = 1536, max_pool = 512;   // points of a plane's subset, and of its pool
constexpr int max_counted = 64, max_tried = 1024;  // hypotheses of one batch, and of a plane
constexpr std::uint32_t max_points = 1u << 22;     // a plane has fewer: find_best() packs counts into 22 bits
constexpr std::uint32_t sample_capacity = 2048;  // samples of a plane; more occur only where points coincide
constexpr int quads_per_thread = 8;              // 32 points: the sums of their products fit 32 bits
constexpr std::uint32_t summed_quads = block_threads * quads_per_thread, max_tile_quads = 2 * summed_quads;

/// What the host knows of a plane.
struct PlaneTask {
  std::uint64_t first = 0;  // first quad in the point source
  std::uint32_t quads = 0;  // of four points each, the last one padded
  std::uint32_t size = 0;   // points
  std::uint32_t tiles = 0;
  std::uint32_t first_sample = 0, sample_room = 0;  // its part of Batch::samples
  std::uint32_t first_tile = 0;                     // in Batch::boundary_counts
  float half_x = 0, half_y = 0, threshold = 0, refit_threshold = 0;
  std::uint64_t seed = 0;
  std::uint32_t by_index = 0;            // SamplingOrder::by_index
  std::uint32_t first_sampled_quad = 0;  // in MapSource::sampled_pixels
  std::uint32_t first_limit = 0;  // key limit of the first pass, as if a quarter of the points had no height
  std::uint32_t subset_limit = 0, pool_limit = 0;  // key_limit() if every point has a height
  SiteGrid grid;
};

/// What a pass over a plane's points does. DESIGN.md draws the transitions.
enum class Phase : std::uint32_t {
  first,       // not begun; a plane that is sampled by position: as select, with PlaneTask::first_limit
  select,      // scans the points and samples those with keys up to a limit
  scan,        // scans the points of a plane without consensus, for its result
  count,       // exact mode: counts the inliers of a batch of hypotheses
  accumulate,  // sums the always-inliers and lists the boundary candidates
  done,        // no pass: the plane's result is written
};

/// What the blocks find out about a plane. All zero between two launches.
struct PlaneWork {
  std::uint32_t tiles_done, valid, outside, sample_count;
  std::uint32_t key_limit;  // of the select pass; 0: PlaneTask::first_limit
  Phase phase;
  std::uint32_t scanned;   // valid and outside are known
  std::uint32_t by_index;  // the pool is the subset, in the order of the points
  std::uint32_t tried, subset_size, pool_size, counted;
  int needed, top;
  alignas(16) long long moments[10];
  std::uint32_t counts[max_counted];
  float4 hypotheses[max_counted];
  Refiner refiner;
  PlaneFit fit;
};

/// hypotheses_needed() as a table (stopping_table.h).
struct StoppingTable {
  const double* miss_one;  // element k: the largest 1 - w^3 for which k + 1 hypotheses suffice
  float log2_miss;         // log2(1 - p): where the search in the table begins
};

/// A batch as the kernels see it. Element i of an array "per plane" belongs to tasks[i].
struct Batch {
  const PlaneTask* tasks;
  PlaneWork* work;
  float4* samples;                 // x, y, z, key
  float4* boundary;                // x, y, r of the boundary candidates; a tile has room for all its points
  std::uint32_t* boundary_counts;  // of each tile
  std::uint32_t* all_counts;       // exact mode: max_tried per plane
  float4 *subsets, *pools;         // exact mode: max_subset and max_pool per plane
  PlaneFit* fits;
  std::uint32_t* needs_cpu;       // per plane: not 0 if the plane needs the CPU fallback
  Schedule schedule;              // a plane is a job, its tiles are the parts
  const std::uint32_t* searches;  // planes whose points are sampled by index
  std::uint32_t tile_quads;
  StoppingTable needed;
  int max_hypotheses;
  bool perpendicular;
};

__device__ inline FitRegion region_of(const Batch& batch, const PlaneTask& task) {
  return FitRegion{task.half_x, task.half_y, batch.perpendicular};
}

}  // namespace datum::cuda
