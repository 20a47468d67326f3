// Reader of one frame from a path, for all formats.
#pragma once

#include <filesystem>

#include "drivers/frame/sensor_profile.h"

namespace datum {

/// Reads the frame that `path` names:
///   NAME.json            a sidecar; the height file (see read_height_file) and others lie beside it
///   NAME.tif, .png, .pcd ...  the height file of the sidecar NAME.json (or STEM.json of STEM_z.tif) beside it
///   NAME.ptr             Pemtron; frame id = NAME
///   NAME.csv             Gocator CSV export
///   NAME.gdp             one data set of the Gocator protocol's data channel, as it was sent
/// or, where the profile has a FrameReader, its deliveries. A FrameParser of the profile parses everything
/// except the sidecar, .ptr, ENVI and .gdp. The frame is right-handed (mirrored once for a left-handed
/// sensor), checked (check()), of the profile's sensor, and hashed; measured pixels outside the profile's
/// range have class out_of_range. Callable on any thread.
///
/// Throws FrameError "FILE: what; what to do": the readers' errors, an unknown format, no sidecar, a hash
/// that differs from the sidecar's, more than profile.most_pixels, another sensor's serial, a handedness
/// other than the profile's, a profile without range.
HeightFrame read_frame(const std::filesystem::path& path, const SensorProfile& profile);

/// Common acceptance of a frame with its identity and handedness set: checks it and its sensor, classifies
/// pixels outside the range, mirrors a left-handed one. Throws FrameError.
void accept_frame(HeightFrame& frame, const SensorProfile& profile);

}  // namespace datum
