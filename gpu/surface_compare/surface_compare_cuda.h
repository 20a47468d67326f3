// Comparison of snapshots with a model on a CUDA device. C++17.
#pragma once

#include <memory>

#include "gpu/surface_compare/surface_compare.h"

namespace datum {

/// With what cuda_device_search() and cuda_device_areas() keep of one model there; borrows both. Results are byte for byte those of
/// compare_shots(). Members throw GpuError; throws it, and std::invalid_argument for others, different models, and one whose facets'
/// regions are not told.
std::unique_ptr<DeviceCompare> cuda_device_compare(DeviceSearch& search, DeviceAreas& areas);

}  // namespace datum
