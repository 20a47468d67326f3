// Removal of datumd's own files by age and size, oldest first, in small batches. Symbolic links are never followed; other
// files are neither removed nor counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store/retention/settings.h"

namespace datum {

/// A unit of removal: the folder of a delivery, or a picture.
struct KeptFile {
  std::filesystem::path path;
  std::int64_t changed_s = 0;  // UTC seconds of its last change
  std::uint64_t bytes = 0;     // allocated on the disk
};

/// Folders in `folder` that hold a delivery (drop_folder.h): regular files only, among them a sidecar, .ptr, .csv or
/// .gdp. Empty for a missing folder.
std::vector<KeptFile> deliveries_in(const std::filesystem::path& folder);
/// Files with the names of pictures and part files: SEQUENCE_DECISION.png, SEQUENCE_DECISION_points.ply ...
std::vector<KeptFile> pictures_in(const std::filesystem::path& folder);

/// The files beyond the limit at `now_s` (UTC seconds), oldest first.
std::vector<KeptFile> beyond(std::vector<KeptFile> files, const KeepLimit& limit, std::int64_t now_s);

/// Removes one unit as far as possible. Throws std::system_error for the rest.
void remove_kept(const KeptFile& file);

}  // namespace datum
