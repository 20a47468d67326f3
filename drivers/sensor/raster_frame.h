// An image and its sidecar become a frame.
#pragma once

#include "drivers/sensor/raster.h"
#include "drivers/sensor/sidecar.h"

namespace datum {

/// Heights as delivered: unsigned 16-bit samples become int32 counts, all others keep their type. The
/// sidecar's invalid value is classed no_data, and so is NaN where the sidecar says "nan". The frame is not
/// mirrored yet. Throws FrameError naming `name`: an 8-bit map, an invalid value that the samples can't have,
/// NaN that the sidecar does not announce, an infinite height.
HeightFrame frame_from_raster(Raster&& heights, const FrameSidecar& sidecar, const std::string& name);

/// Throws FrameError: not 8 or 16-bit unsigned.
IntensityImage intensity_from_raster(Raster&& image, const std::string& name);

}  // namespace datum
