// LMI Gocator 3xxx snapshot exported as CSV (version 2): sections "Info", "DeviceInfo", "Part", each ended by
// "End".
//
// The Part's cells are z in mm of a uniform grid; an empty cell is no_data. They are
//   z = Z Offset + count * ZResolution
// with whole counts. They are restored (int16 where they fit, else int32) if every cell lies within half of
// its last printed digit of such a number; otherwise the cells are kept as float mm.
//
// DeviceInfo's Transform row is not applied to the coordinates: the sensor applied its transformation before
// it resampled to the grid (the export's Z Offset is the Transform's Z rounded to a micrometre). Applying it
// again would tilt and shift the map twice. The calibration describes the sensor's pose in the machine.
//
// A snapshot sensor's coordinates are left-handed. The sensor profile must state this, because the file does
// not.
#pragma once

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

/// Serial = DeviceInfo's ID, frame id = Part's Frame, capture time = Part's Time (us of the sensor's clock).
/// Not mirrored. Throws FrameError "FILE:LINE: what; what to do": a missing section or column, a cell that is
/// no number, a non-uniform grid, more or fewer rows or columns than announced, several parts or sensors, no
/// "End", more than `most_pixels`.
HeightFrame read_gocator_csv(ByteView file, const std::string& name,
                             std::uint64_t most_pixels = most_frame_pixels);

}  // namespace datum
