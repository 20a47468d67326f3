// A scan matched with a model on a CUDA device, from points and facets as they are measured: balls, normals and cells are
// made there. C++17.
#pragma once

#include <memory>

#include "gpu/surface_match/facet_matcher.h"

namespace datum {

/// The model's facets stay on the device. Results are byte for byte those of match_scan. Its match() throws GpuError, and
/// std::invalid_argument for settings that mean nothing. Throws GpuError.
std::unique_ptr<DeviceMatch> cuda_device_match(const ModelFacets& model);

}  // namespace datum
