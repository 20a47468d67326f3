// The shared memory of a block (DESIGN.md has its map). The steps of the algorithm share it, so it stands in one place.
#pragma once

#include <cstdint>

#include "gpu/plane_fit/batch.cuh"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/refinement.h"
#include "gpu/plane_fit/scheduler.cuh"

namespace datum::cuda {

constexpr std::uint32_t staged = 512;

/// Sampled points of a tile on their way to device memory: one atomic addition there reserves room for all.
struct Staging {
  float4 entry[staged];
  std::uint32_t count, place;
};

/// The sampled points, the hypotheses through them and their local optimisation.
struct SearchMemory {
  // The subset. Sampled by position its order is random, and only counts and integer sums use it.
  float x[max_subset], y[max_subset], z[max_subset];
  std::uint16_t unordered[max_pool], pool[max_pool];  // indices of the pool's points: as found, and in order
  float4 hypotheses[max_counted];
  std::uint32_t counts[max_tried];
  std::uint32_t size, pool_size, filled, keys[max_pool];  // keys of `unordered`
  bool by_index;                                          // the pool is the subset
  std::uint16_t order[max_pool];
  int tried, needed, top;
  std::uint16_t best[plane_math::candidates];        // the hypotheses of the highest counts
  plane_math::Plane starts[plane_math::candidates];  // their planes
  int best_count;
  LocalOptimum optima[plane_math::candidates];
  int optimum_count;
  double score;
  plane_math::Plane plane;
  bool found, more, duplicate;
  alignas(16) unsigned char optimizer[sizeof(LocalOptimizer)];
  int sums[block_warps][10];
};

/// Sums of a tile by warp: ten moments and the number of points with a height.
constexpr int tile_sums = 11;
struct TileSums {
  long long of_warp[block_warps][tile_sums];
  std::uint32_t boundary_count;
};

/// A refinement: the sums of the warps, a Refiner, and the step that it asks for.
struct RefinementMemory {
  long long partial[block_warps][10];
  Refiner refiner;
  Refiner::Next next;
  PlaneFit fit;
};

/// The boundary candidates of a plane, which every refit reads, and the refiner of its sums. They replace SearchMemory,
/// which is no longer needed.
struct BoundaryCandidates {
  // 48 bytes: `count`, and padding to multiples of 16
  static constexpr std::uint32_t room = (sizeof(SearchMemory) - sizeof(Refiner) - 48) / (3 * sizeof(float));
  float x[room], y[room], r[room];
  alignas(16) unsigned char refiner[sizeof(Refiner)];
  std::uint32_t count;
};
static_assert(sizeof(BoundaryCandidates) <= sizeof(SearchMemory), "boundary candidates replace the search");

/// The dynamic shared memory of both kernels. Members of bytes hold objects whose constructors must not run there.
struct BlockMemory {
  union {
    alignas(16) unsigned char staging[sizeof(Staging)];
    alignas(16) unsigned char search[sizeof(SearchMemory)];
  };
  alignas(16) unsigned char refinement[sizeof(RefinementMemory)];
  TileSums tile_sums;
  std::uint32_t warp_counts[block_warps][max_counted];
  float4 hypotheses[max_counted];
  unsigned long long task, place;
  alignas(16) unsigned char dispatcher[sizeof(Dispatcher)];
  bool last;  // this block finished the last tile of the pass
};

}  // namespace datum::cuda
