// A disk that refuses or is slow, switched at run time through shared memory.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace datum::faults {

/// Faults of one part of the cell's folder.
struct DiskTrouble {
  std::atomic<std::int32_t> error;     // errno of every operation that changes a file; 0: none
  std::atomic<std::int32_t> delay_us;  // before each operation
};

struct DiskControl {
  DiskTrouble store, drop, other;
  std::atomic<std::uint64_t> acts;  // operations that changed a file, or were refused
};
static_assert(std::atomic<std::int32_t>::is_always_lock_free, "shared between processes");

/// Maps a file as shared memory; creates it where it is missing. Throws std::system_error.
template <class Control>
Control* share(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, sizeof(Control)) != 0)
    throw std::system_error(errno, std::generic_category(), file.string());
  void* at = ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), file.string());
  return static_cast<Control*>(at);
}

}  // namespace datum::faults
