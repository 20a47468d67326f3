// JSON sidecar of a set of raw fringe images. It is written last and is the trigger of a file drop.
//
//   { "schema_version": 1, "sensor_serial": "FP-1", "job": {"name": "board-a", "hash": "5f3c"}, "frame_id": "000017",
//     "capture_time": {"ns": 1700000000000000000, "clock": "utc"}, "handedness": "right",
//     "images": {"a_1_01.png": "SHA-256", "a_1_02.png": "..."} }
//
// All keys are mandatory except job (for people) and unit_id, the board's serial number; no other is allowed. The images are
// exactly those that the sensor's profile names for this set (FringeSettings::image_names), each with its
// SHA-256, so that an image of another board's set is detected.
#pragma once

#include <string>
#include <vector>

#include "drivers/frame/fringe_settings.h"
#include "drivers/frame/height_frame.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {

struct SetImage {
  std::string name, sha256;
};

struct SetSidecar {
  std::string sensor_serial, job_name, job_hash, frame_id;
  CaptureTime captured;
  Handedness handedness = Handedness::right;
  std::vector<SetImage> images;  // by period, then by step
  std::string unit_id{};         // serial number of the board; empty: not given
};

/// Names of the images of the set `set`, by period, then by step.
std::vector<std::string> image_names(const FringeSettings& settings, const std::string& set);

/// Why this pattern is not valid for a set of images; empty: it is.
std::string pattern_problem(const FringeSettings& settings);

/// Strict: throws FrameError "FILE: key.path: what is wrong; what is allowed". `file` is the sidecar's name,
/// whose stem is the set's name.
SetSidecar parse_set_sidecar(ByteView text, const std::string& file, const FringeSettings& settings);

/// JSON text from which parse_set_sidecar reads the same values.
std::string write_set_sidecar(const SetSidecar& sidecar);

}  // namespace datum
