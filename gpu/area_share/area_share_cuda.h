// Areas of points on a CUDA device. C++17.
#pragma once

#include <memory>

#include "gpu/area_share/area_share.h"

namespace datum {

/// The model's patches stay on the device. Results are byte for byte those of share_areas(). Its share() throws GpuError. Throws
/// GpuError, and std::invalid_argument as check().
std::unique_ptr<DeviceAreas> cuda_device_areas(const AreaModel& model);

}  // namespace datum
