// One frame from one path, whatever its format.
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
/// or, where the profile has a FrameReader, what that one takes. Where it has a FrameParser, that one parses all but the
/// sidecar, .ptr, ENVI and .gdp.
/// The frame is right-handed (mirrored once where the sensor is left-handed), checked (check()), of the
/// profile's sensor, with every measured pixel outside the profile's range classed out_of_range, and hashed.
/// May run on any thread.
///
/// Throws FrameError "FILE: what; what to do"; beside what the readers refuse: an unknown format, no sidecar,
/// a hash that differs from the sidecar's, more than profile.most_pixels, another sensor's serial, another handedness than the profile's, a
/// profile without range.
HeightFrame read_frame(const std::filesystem::path& path, const SensorProfile& profile);

/// What a frame goes through whatever it came by, its identity and hand already in it: checked, of the profile's
/// sensor, pixels outside its range classed so, mirrored where it is left-handed. Throws FrameError.
void accept_frame(HeightFrame& frame, const SensorProfile& profile);

}  // namespace datum
