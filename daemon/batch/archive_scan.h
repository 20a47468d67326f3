// Frames of an archive: each file that announces a frame, below a folder, with its identity.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/batch/manifest.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

struct ArchivedFrame {
  std::string file;  // from the folder
  std::string frame_id, sha256, unit_id;
  std::optional<std::int64_t> utc_s;  // of the capture, where its clock is UTC
};

/// Reads each .json, .ptr and .csv below `folder` as a frame, on `threads` threads; sorted by file. Symbolic links are not
/// followed. What can't be read goes to `unmeasurable`, by name. Throws std::filesystem::filesystem_error for the folder itself.
std::vector<ArchivedFrame> scan_archive(const std::filesystem::path& folder, const SensorProfile& sensor,
                                        unsigned threads, std::vector<Unmeasurable>& unmeasurable);

}  // namespace datum
