// Conversion of an image and its sidecar to a frame.
#pragma once

#include "drivers/sensor/raster.h"
#include "drivers/sensor/sidecar.h"

namespace datum {

/// Heights as delivered: unsigned 16-bit samples become int32 counts, all others keep their type. The
/// sidecar's invalid value becomes no_data, and so does NaN where the sidecar states "nan". Not mirrored.
/// Throws FrameError naming `name`: an 8-bit map, an invalid value outside the sample type, NaN without
/// statement in the sidecar, an infinite height.
HeightFrame frame_from_raster(Raster&& heights, const FrameSidecar& sidecar, const std::string& name,
                              unsigned threads = 1);
/// What the sidecar says of a frame of this size, without its pixels.
HeightFrame frame_of_sidecar(const FrameSidecar& sidecar, int rows, int cols, const std::string& name);

/// Throws FrameError: not 8 or 16-bit unsigned.
IntensityImage intensity_from_raster(Raster&& image, const std::string& name);

}  // namespace datum
