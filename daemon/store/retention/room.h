// Room on file systems: how much is left, and whether that is enough to take another board.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/store/retention/settings.h"

namespace datum {

struct Room {
  std::uint64_t bytes = 0;   // that this user may still write
  std::uint64_t inodes = 0;  // files that may still be made
  bool counts_inodes = true;
  bool writable = true;
};

/// Who tells the room of the file system that a path is on.
class RoomSource {
 public:
  virtual ~RoomSource() = default;
  /// Throws std::system_error. May wait for a device: not for the loop's thread.
  virtual Room of(const std::filesystem::path& path) const = 0;
};

/// statvfs(3); of a folder that is not there yet, where it will be made.
class FileSystemRoom final : public RoomSource {
 public:
  Room of(const std::filesystem::path& path) const override;
};

/// What must have room, and what an operator calls it.
struct RoomPlace {
  std::string name;  // "the result store"
  std::filesystem::path path;
};

/// Why no further board may be taken, in words for an operator; empty: there is room. `short_before`: then an eighth more
/// than the reserve is asked for, so that the cell does not go to and fro.
std::string shortage(const RoomSource& source, const std::vector<RoomPlace>& places,
                     const RetentionSettings& settings, bool short_before);

}  // namespace datum
