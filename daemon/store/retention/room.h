// Free space on file systems, and whether it suffices for another board.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store/retention/settings.h"

namespace datum {

struct Room {
  std::uint64_t bytes = 0;   // writable by this user
  std::uint64_t inodes = 0;  // number of files that can be created
  bool counts_inodes = true;
  bool writable = true;
};

/// Source of the free space of a path's file system.
class RoomSource {
 public:
  virtual ~RoomSource() = default;
  /// Throws std::system_error. May wait for a device: not for the loop's thread.
  virtual Room of(const std::filesystem::path& path) const = 0;
};

/// statvfs(3); for a missing folder, of its nearest existing parent.
class FileSystemRoom final : public RoomSource {
 public:
  Room of(const std::filesystem::path& path) const override;
};

/// A path that needs free space, and its name for an operator.
struct RoomPlace {
  std::string name;  // "the result store"
  std::filesystem::path path;
};

/// Why the cell accepts no further board, as text; empty: enough space. `short_before`: demands an eighth more than the
/// reserve, as hysteresis.
std::string shortage(const RoomSource& source, const std::vector<RoomPlace>& places,
                     const RetentionSettings& settings, bool short_before);

}  // namespace datum
