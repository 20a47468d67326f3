// The loops over points that a CPU's instruction set supplies. Their results are integers or extremes, so that how the
// tiles are shared out cannot show in them.
#pragma once

#include "gpu/core/backend.h"
#include "gpu/parallel_planes/parallel_planes_math.h"

namespace datum::parallel {

struct Limits {
  float centre[3];
  float half_range, max_weight;
};

/// distance(p) = normal . (p - origin)
struct PlaneFrame {
  double normal[3], origin[3];
};

struct Kernels {
  /// Adds the points of `size` to the sums; `points` begins a tile.
  void (*add_tiles)(const WeightedPoint* points, std::uint64_t size, const Limits& limits, const Scale& scale,
                    SampleSums* sums);
  /// Of the points with a weight; widens what is there.
  void (*extremes)(const WeightedPoint* points, std::uint64_t size, const PlaneFrame& frame,
                   PlaneExtremes* out);
};

/// Throws std::runtime_error where this build carries no loops for the instruction set.
const Kernels& kernels(Isa isa);

}  // namespace datum::parallel
