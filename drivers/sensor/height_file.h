// Reader of a sidecar's height file in any supported format.
#pragma once

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/raster.h"
#include "drivers/sensor/sidecar.h"

namespace datum {

/// Heights of `file`, by the extension of sidecar.height_file: .tif, .tiff, .png, .pcd, .ply, .x3p, or ENVI
/// data (.img, .raw, .dat, .bsq, .bil, .bip) described by `header`. The file's own scales, grid and invalid
/// value must agree with the sidecar. Throws FrameError.
Raster read_height_file(ByteView file, ByteView header, const FrameSidecar& sidecar,
                        const SensorProfile& profile);

/// Grey image of a .tif, .tiff or .png. Throws FrameError, also for more than `most_pixels`.
Raster read_image(ByteView file, const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

/// Whether its data need a separate header: ENVI.
bool needs_header(const std::string& height_file);
/// Extension in lower case, with its point.
std::string lower_extension(const std::filesystem::path& path);

}  // namespace datum
