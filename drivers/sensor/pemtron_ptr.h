// Pemtron .ptr: a height map of a 3D-AOI machine.
//
// Layout (little-endian; derived from real files, unpublished): int32 rows, int32 columns, float32 a, float32
// b (15, 15), int32 bits per sample (32), int32 1, 1, 1, then float32[rows][columns] heights in um. 0:
// outside the board (zero_pad); -4000: invalid (sentinel). The file holds no pixel pitch, serial number or
// time.
#pragma once

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

/// Heights as delivered (float, z scale 0.001 mm). x and y from the profile's pixel pitch with the origin at
/// pixel (0, 0); serial from the profile, frame id = `frame_id`, clock unknown. `name` is the file's name in
/// messages. Throws FrameError: another header, a size that does not match, a non-finite height, no pitch in
/// the profile.
HeightFrame read_pemtron_ptr(ByteView file, const SensorProfile& profile, const std::string& frame_id,
                             const std::string& name);

}  // namespace datum
