// What a device has of a model's patches, for kernels that follow one another there. C++17.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/area_share/area_share.h"

namespace datum {

struct FacetOnDevice {
  float corner[9], normal[3];
};

class AreasOnDevice : public DeviceAreas {
 public:
  virtual const FacetOnDevice* facets() const = 0;
  virtual std::uint32_t facet_count() const = 0;
  /// AreaModel::region; null where it is not told.
  virtual const std::uint16_t* regions() const = 0;
  /// The same as share(), in two steps that wait for nothing. Points on the device.
  virtual void begin(cudaStream_t stream, const ModelPoint* points, const ModelDistance* distances,
                     std::uint32_t count) = 0;
  virtual void fetch(cudaStream_t stream, const AreaShares& out) = 0;
};

}  // namespace datum
