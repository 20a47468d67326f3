// What a device has of a model for searches, for kernels that follow one another there. C++17.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/model_distance/distance_finder.h"

namespace datum {

/// Points on the device.
struct PointsToFind {
  const ModelPoint* points = nullptr;
  /// Of each point a facet that is looked at first, or one that there is none of; null: nothing is known. Changes no result.
  const std::uint32_t* near = nullptr;
  std::uint32_t count = 0;
};

/// Of a facet: of its face, edges and corners, by Place.
using FacetNormals = float[7][3];

class SearchOnDevice : public DeviceSearch {
 public:
  /// TriangleModel::normal.
  virtual const FacetNormals* normals() const = 0;
  virtual std::uint32_t facet_count() const = 0;
  /// Kernel only, asynchronous. Throws std::invalid_argument as ModelSearch::find.
  virtual void begin(cudaStream_t stream, const PointsToFind& points, const DistanceSettings& settings,
                     ModelDistance* out) = 0;
};

}  // namespace datum
