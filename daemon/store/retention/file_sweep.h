// Removal of files by age and size: what datumd made or moved there itself, the oldest first, a few at a time. Links are
// never followed, and what is not of datumd's making is left and not counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store/retention/settings.h"

namespace datum {

/// Something that goes as a whole: a delivery's folder, or a picture.
struct KeptFile {
  std::filesystem::path path;
  std::int64_t changed_s = 0;  // UTC, of its last change
  std::uint64_t bytes = 0;     // on the disk
};

/// Folders in `folder` that hold a delivery (drop_folder.h): regular files alone, a sidecar, .ptr, .csv or .gdp among them.
/// A folder that is not there holds none.
std::vector<KeptFile> deliveries_in(const std::filesystem::path& folder);
/// Files named as pictures and files of parts are: SEQUENCE_DECISION.png, SEQUENCE_DECISION_points.ply ...
std::vector<KeptFile> pictures_in(const std::filesystem::path& folder);

/// Those that are beyond the limit at `now_s` (UTC), oldest first.
std::vector<KeptFile> beyond(std::vector<KeptFile> files, const KeepLimit& limit, std::int64_t now_s);

/// Removes one. Throws std::system_error; nothing is left of what could be removed.
void remove_kept(const KeptFile& file);

}  // namespace datum
