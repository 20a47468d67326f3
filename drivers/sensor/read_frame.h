// Reader of one frame from a path, for all formats.
#pragma once

#include <filesystem>
#include <memory>

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/stated_sum.h"

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

/// A frame whose height file may be another than the announced one until sum->check() has returned.
struct UncheckedFrame {
  HeightFrame frame;
  std::shared_ptr<StatedSum> sum;  // null: nothing is left to be checked
};
/// As read_frame, but the whole file's SHA-256 that a sidecar states may still be computed beside the caller's
/// work. The caller checks it before any result is stored or announced.
UncheckedFrame read_frame_beside(const std::filesystem::path& path, const SensorProfile& profile);

SensorProfile with_scheme(const SensorProfile& profile, HashScheme scheme);
/// The profile, for reading a frame again whose stored identity this is: by the scheme that it names. Throws
/// FrameError for the scheme of another version.
SensorProfile with_scheme_of(const SensorProfile& profile, const std::string& identity);

/// Common acceptance of a frame with its identity and handedness set: checks it and its sensor, classifies
/// pixels outside the range, mirrors a left-handed one. Throws FrameError.
void accept_frame(HeightFrame& frame, const SensorProfile& profile);
/// The same for a frame whose counts and classes are already those of the accepted one: ranges and order of
/// columns.
void accept_passed_frame(HeightFrame& frame, const SensorProfile& profile);

}  // namespace datum
