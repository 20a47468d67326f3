#include "daemon/store/wal_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace datum {
namespace {

// The pages after which a checkpoint is made (late_checkpoint.h), and two boards of 45 more, each with its frame's header.
constexpr off_t wal_room_bytes = 1090 * (4096 + 24);

bool write_zeros(int fd, off_t from, off_t to) {
  const std::vector<char> zeros(64 << 10);
  while (from < to) {
    const ssize_t n =
        ::pwrite(fd, zeros.data(), static_cast<std::size_t>(std::min<off_t>(to - from, 64 << 10)), from);
    if (n <= 0) return false;
    from += n;
  }
  return ::fdatasync(fd) == 0;
}

}  // namespace

void make_wal_room(const std::filesystem::path& store) {
  // SQLite's locks lie on the store and on its -shm: closing this descriptor ends none.
  const int fd = ::open((store.string() + "-wal").c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info {};
  if (::fstat(fd, &info) == 0 && info.st_size < wal_room_bytes &&
      !write_zeros(fd, info.st_size, wal_room_bytes)) [[maybe_unused]]
    const int left = ::ftruncate(fd, info.st_size);
  ::close(fd);
}

}  // namespace datum
