// The loops over points that a backend supplies. Each result is a set or an integer sum, so the order of the
// points, the width of a vector and the number of threads cannot show in it.
#pragma once

#include <cstddef>

#include "gpu/core/backend.h"
#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum {

/// Points as three arrays; z not finite = no height. Read-only.
struct Cloud {
  const float* x;
  const float* y;
  const float* z;
  std::size_t size;
};

/// Growing list of points; room for `size` + simd_padding more must be there before a loop appends.
struct PointList {
  float* x;
  float* y;
  float* z;
  std::size_t size;
};
constexpr std::size_t simd_padding = 64;

inline Cloud cloud_of(const PointList& list) { return Cloud{list.x, list.y, list.z, list.size}; }

/// Keys of a plane's points (plane_math::point_key) up to `limit`.
struct KeyRange {
  std::uint64_t seed;
  std::uint32_t limit;
};

struct ValidityScan {
  std::uint32_t valid;  // points with a height
  bool in_bounds;       // all of them
};

struct PlaneKernels {
  /// Counts the points with a height, looks whether they lie inside half_x, half_y, and appends those of them
  /// whose key is in the range.
  ValidityScan (*select)(const Cloud& cloud, const KeyRange& keys, float half_x, float half_y,
                         PointList* chosen);
  /// counts[k] = number of points with |residual to hypothesis k| <= its z_threshold.
  void (*count)(const Cloud& cloud, const plane_math::Hypothesis* hypotheses, int k, std::uint32_t* counts);
  /// Sums the points with |r| < base.always_inlier and appends (x, y, r) of those with base.always_inlier <= |r| <= base.possible_inlier.
  plane_math::Moments (*accumulate)(const Cloud& cloud, const plane_math::Base& base, PointList* boundary);
  /// The same, and looks at the points as select does.
  plane_math::Moments (*accumulate_scanning)(const Cloud& cloud, const plane_math::Base& base, float half_x,
                                             float half_y, PointList* boundary, ValidityScan* scan);
  /// Sums the points (x, y, r) of a boundary candidates that lie within change.z_threshold of the base plane plus `change`.
  plane_math::Moments (*accumulate_boundary)(const Cloud& boundary, const plane_math::Base& base,
                                             const plane_math::Hypothesis& change);
};

/// Throws std::runtime_error where this build carries no loops for the instruction set.
const PlaneKernels& plane_kernels(Isa isa);

}  // namespace datum
