// Shared memory of a block. DESIGN.md has its map.
#pragma once

#include <cstdint>

#include "gpu/plane_fit/batch.cuh"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/refinement.h"
#include "gpu/plane_fit/scheduler.cuh"

namespace datum::cuda {

constexpr std::uint32_t staged =
    512;  // entries of a tile that are kept in shared memory before they are written out

/// Rare points of a tile, gathered so that one addition to global memory places them all.
struct Staging {
  float4 entry[staged];
  std::uint32_t count, place;
};

/// The sampled points and the hypotheses through them.
struct SearchMemory {
  float x[max_subset], y[max_subset],
      z[max_subset];  // sampled by position in any order: only counts and sums follow
  std::uint16_t unordered[max_pool], pool[max_pool];  // numbers of the pool's points: as found, and in order
  float4 hypotheses[max_counted];
  std::uint32_t counts[max_tried];
  std::uint32_t size, pool_size, filled, keys[max_pool];  // keys of sampled
  bool by_index;                                          // the pool is the subset as it lies
  std::uint16_t order[max_pool];
  int tried, needed, top;
  std::uint16_t best[plane_math::candidates];        // hypotheses of the highest counts
  plane_math::Plane starts[plane_math::candidates];  // and their planes
  int best_count;
  LocalOptimum optima[plane_math::candidates];
  int optimum_count;
  double score;
  plane_math::Plane plane;
  bool found, more, duplicate;
  alignas(16) unsigned char optimizer[sizeof(LocalOptimizer)];
  int sums[block_warps][10];
};

/// What a tile adds to its plane, by warp: ten sums and the points with a height.
constexpr int tile_sums = 11;
struct TileSums {
  long long of_warp[block_warps][tile_sums];
  std::uint32_t boundary_count;
};

/// Shared memory of a refinement: the warps' sums, a Refiner, and what it wants next.
struct RefinementMemory {
  long long partial[block_warps][10];
  Refiner refiner;
  Refiner::Next next;
  PlaneFit fit;
};

/// A boundary candidates, which is read once for every least-squares plane, and the refiner that takes its sums: they lie where the
/// search was.
struct BoundaryCandidates {
  static constexpr std::uint32_t room = (sizeof(SearchMemory) - sizeof(Refiner) - 48) / (3 * sizeof(float));
  float x[room], y[room], r[room];
  alignas(16) unsigned char refiner[sizeof(Refiner)];
  std::uint32_t count;
};
static_assert(sizeof(BoundaryCandidates) <= sizeof(SearchMemory), "it finds room there");

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
  bool last;
};

}  // namespace datum::cuda
