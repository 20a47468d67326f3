#include "daemon/store/retention/room.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <system_error>

namespace datum {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/// Rounded down, so that free space is never overstated.
std::string in_mib(std::uint64_t bytes) { return fmt::format("{} MiB", bytes / mib); }

std::string shortage_of(const RoomPlace& place, const Room& room, const RetentionSettings& s,
                        bool short_before) {
  const std::uint64_t bytes = s.reserve_bytes + (short_before ? s.reserve_bytes / 8 : 0);
  const std::uint64_t inodes = s.reserve_inodes + (short_before ? s.reserve_inodes / 8 : 0);
  const std::string where = fmt::format("{} ({})", place.name, place.path.string());
  if (!room.writable)
    return where + " is on a file system that can only be read; see what the kernel's log says of it";
  if (room.bytes < bytes)
    return fmt::format("{} has {} left, {} are needed (retention.reserve_mib); make room there", where,
                       in_mib(room.bytes), in_mib(bytes));
  if (room.counts_inodes && room.inodes < inodes)
    return fmt::format(
        "{} has room for {} files, {} are needed (retention.reserve_files); remove files there", where,
        room.inodes, inodes);
  return "";
}

}  // namespace

Room FileSystemRoom::of(const std::filesystem::path& path) const {
  struct statvfs info {};
  // A folder that does not exist yet has the free space of its nearest existing parent.
  std::filesystem::path there = std::filesystem::absolute(path);
  while (::statvfs(there.c_str(), &info) != 0) {
    if (errno == ENOENT && there.has_relative_path()) {
      there = there.parent_path();
      continue;
    }
    throw std::system_error(errno, std::generic_category(), path.string() + ": its free space is not known");
  }
  Room room;
  room.bytes = std::uint64_t{info.f_bavail} * info.f_frsize;
  room.inodes = info.f_favail;
  room.counts_inodes = info.f_files > 0;
  room.writable = (info.f_flag & ST_RDONLY) == 0;
  return room;
}

std::string shortage(const RoomSource& source, const std::vector<RoomPlace>& places,
                     const RetentionSettings& settings, bool short_before) {
  for (const RoomPlace& place : places) {
    try {
      if (std::string why = shortage_of(place, source.of(place.path), settings, short_before); !why.empty())
        return why;
    } catch (const std::system_error& error) {
      return fmt::format("{}: {}", place.name, error.what());
    }
  }
  return "";
}

}  // namespace datum
