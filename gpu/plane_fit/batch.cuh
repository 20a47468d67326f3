// Device memory of a batch of planes.
#pragma once

#include <cstdint>

#include "gpu/core/height_map.h"
#include "gpu/plane_fit/refinement.h"
#include "gpu/plane_fit/scheduler.cuh"

namespace datum::cuda {

constexpr int block_threads = 256, block_warps = block_threads / 32, blocks_per_multiprocessor = 4;
constexpr int max_subset = 1536, max_pool = 512, max_counted = 64, max_tried = 1024;
constexpr std::uint32_t max_points = 1u
                                     << 22;  // of a plane: a count and a number of a hypothesis share 32 bits
constexpr std::uint32_t sample_capacity = 2048;  // per plane; more are sampled only where points coincide
constexpr int quads_per_thread = 8;              // 32 points: their products' sums fit 32 bits
constexpr std::uint32_t summed_quads = block_threads * quads_per_thread, max_tile_quads = 2 * summed_quads;

/// What is known of a plane before its points are read.
struct PlaneTask {
  std::uint64_t first = 0;  // quads of the points begin here
  std::uint32_t quads = 0;  // four points each
  std::uint32_t size = 0;   // points
  std::uint32_t tiles = 0;
  std::uint32_t first_sample = 0, sample_room = 0;  // place in the list of samples
  std::uint32_t first_tile = 0;                     // its number among all planes' tiles
  float half_x = 0, half_y = 0, threshold = 0, refit_threshold = 0;
  std::uint64_t seed = 0;
  std::uint32_t by_index = 0;            // the points are sampled by index
  std::uint32_t first_sampled_quad = 0;  // place of them in a map's list
  std::uint32_t first_limit = 0;         // keys of the first sample, generous: as if a quarter had no height
  std::uint32_t subset_limit = 0, pool_limit = 0;  // key_limit() where every point has a height
  SiteGrid grid;
};

/// What the pass over a plane's points is for. first: nothing is known yet, points are selected by position. done: no pass.
enum class Phase : std::uint32_t { first, select, scan, count, accumulate, done };

/// What is found out about a plane. All zero between two batches.
struct PlaneWork {
  std::uint32_t tiles_done, valid, outside, sample_count;
  std::uint32_t key_limit;  // of the select pass; 0: the first
  Phase phase;
  std::uint32_t scanned;   // valid and outside are known
  std::uint32_t by_index;  // the pool is the subset
  std::uint32_t tried, subset_size, pool_size, counted;
  int needed, top;
  alignas(16) long long moments[10];
  std::uint32_t counts[max_counted];
  float4 hypotheses[max_counted];
  Refiner refiner;
  PlaneFit fit;
};

/// hypotheses_needed() by table.
struct StoppingTable {
  const double* miss_one;  // up to which k + 1 hypotheses suffice
  float log2_miss;         // of all hypotheses, allowed
};

/// One batch as the kernel sees it.
struct Batch {
  const PlaneTask* tasks;
  PlaneWork* work;
  float4* samples;                 // x, y, z, key
  float4* boundary;                // x, y, r; a tile has room for all its points
  std::uint32_t* boundary_counts;  // of each tile
  std::uint32_t* all_counts;       // exact mode: max_tried per plane
  float4 *subsets, *pools;         // exact mode: max_subset and max_pool per plane
  PlaneFit* fits;
  std::uint32_t* needs_cpu;       // per plane: the CPU must do it
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
