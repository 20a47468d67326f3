// A model's facets on a device, for kernels that follow one another there. C++17.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/surface_match/facet_matcher.h"

namespace datum {

/// A scan's points on the device.
struct PointsToMatch {
  const ModelPoint* points = nullptr;
  const std::uint16_t* view = nullptr;  // of each point
  std::uint32_t count = 0;
  double origin[3] = {};                       // of the facets' model, in coordinates of the points
  const PointDirection* directions = nullptr;  // of each view, in host memory
  std::uint32_t view_count = 0;
};

class MatchOnDevice : public DeviceMatch {
 public:
  /// As sum() by points, of points that are there when the device has done what it was given before.
  virtual void sum_points(const PointsToMatch& points, const PointMatchSettings& settings,
                          FacetSums* out) = 0;
};

}  // namespace datum
