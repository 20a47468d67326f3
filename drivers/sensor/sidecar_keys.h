// Keys common to all sidecars.
#pragma once

#include "drivers/frame/height_frame.h"
#include "drivers/sensor/json_object.h"

namespace datum {

/// "capture_time": {"ns": ..., "clock": "utc"}. All throw FrameError.
CaptureTime read_capture_time(JsonObject&& time);
/// "job": {"name": ..., "hash": ...}, both for people: nothing is compared with them. May be absent, and so may its hash.
void read_job(JsonObject& root, std::string& name, std::string& hash);
/// "handedness": "right" or "left".
Handedness read_handedness(JsonObject& root);
/// 64 lower-case hexadecimal digits.
std::string read_sha256(JsonObject& object, const std::string& key);
/// "schema_version": 1.
void check_schema_version(JsonObject& root);

}  // namespace datum
