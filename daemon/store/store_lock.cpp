#include "daemon/store/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "daemon/store/result_store.h"

namespace datum {

StoreLock::StoreLock(const std::filesystem::path& store) {
  const std::filesystem::path path = store.string() + ".lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw StoreError(
        StoreError::Kind::io,
        fmt::format("{}: can't create the lock of the result store: {}; check that the folder exists "
                    "and may be written by this user",
                    path.string(), std::strerror(errno)));
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(fd_);
  throw StoreError(
      StoreError::Kind::locked,
      fmt::format("{}: another datumd writes to this store; end it, or give each daemon its own path",
                  store.string()));
}

StoreLock::~StoreLock() { ::close(fd_); }

}  // namespace datum
