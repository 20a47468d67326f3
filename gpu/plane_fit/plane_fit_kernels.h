// The loops over points that an instruction set of the CPU supplies. Each result is a set or an integer sum, so that
// the order of the points, the width of a vector and the number of threads do not change it.
#pragma once

#include <cstddef>

#include "gpu/core/backend.h"
#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum {

/// Read-only points as three arrays; z not finite: no height.
struct Cloud {
  const float* x;
  const float* y;
  const float* z;
  std::size_t size;
};

/// Growing list of points. A loop that appends n points needs room for n + simd_padding more.
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

/// Result of the validity and bounds scan.
struct ValidityScan {
  std::uint32_t valid;  // points with a height
  bool in_bounds;       // all of these lie inside the bounds
};

struct PlaneKernels {
  /// Scans the points against half_x and half_y, and appends those with a height whose key is in the range.
  ValidityScan (*select)(const Cloud& cloud, const KeyRange& keys, float half_x, float half_y,
                         PointList* chosen);
  /// counts[i] = inliers of hypothesis i, |residual| <= z_threshold, for i < k.
  void (*count)(const Cloud& cloud, const plane_math::Hypothesis* hypotheses, int k, std::uint32_t* counts);
  /// Sums the always-inliers of `base` and appends (x, y, r) of its boundary candidates.
  plane_math::Moments (*accumulate)(const Cloud& cloud, const plane_math::Base& base, PointList* boundary);
  /// accumulate() and the scan of select() in one pass.
  plane_math::Moments (*accumulate_scanning)(const Cloud& cloud, const plane_math::Base& base, float half_x,
                                             float half_y, PointList* boundary, ValidityScan* scan);
  /// Sums the boundary candidates (x, y, r) within change.z_threshold of the base plane plus `change`.
  plane_math::Moments (*accumulate_boundary)(const Cloud& boundary, const plane_math::Base& base,
                                             const plane_math::Hypothesis& change);
};

/// Throws std::runtime_error if this build has no loops for the instruction set.
const PlaneKernels& plane_kernels(Isa isa);

}  // namespace datum
