#include "daemon/gpu/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse(const std::string& what, int error) {
  throw GpuError("GPU worker: " + what + (error ? std::string(": ") + std::strerror(error) : ""), false);
}

}  // namespace

SharedMemory SharedMemory::create(const SharedLayout& layout) {
  SharedMemory m;
  m.layout_ = layout;
  m.fd_ = ::memfd_create("datumd-frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (m.fd_ < 0) refuse("no shared memory", errno);
  // Taken now: a page that is not there when it is written would be a signal, not an error.
  const int error = ::posix_fallocate(m.fd_, 0, static_cast<off_t>(layout.total));
  if (error) refuse("no " + std::to_string(layout.total >> 20) + " MiB of shared memory", error);
  // A mapping that the other side cut short would be a signal too.
  if (::fcntl(m.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    refuse("the shared memory's size can't be held", errno);
  m.map();
  new (m.base_) Mailbox{};
  return m;
}

SharedMemory SharedMemory::map(int fd, const SharedLayout& layout) {
  SharedMemory m;
  m.fd_ = fd;
  m.layout_ = layout;
  struct stat file {};
  if (::fstat(fd, &file) != 0) refuse("the shared memory can't be looked at", errno);
  // Far above any frame and any number of slots, and below what overflows their product.
  constexpr std::uint64_t most_slot_bytes = std::uint64_t{1} << 40, most_slots = 1 << 12;
  if (layout.slot_bytes > most_slot_bytes || layout.slot_count > most_slots ||
      layout != layout_of(layout.site_capacity, layout.run_capacity, layout.slot_bytes, layout.slot_count) ||
      static_cast<std::uint64_t>(file.st_size) != layout.total)
    refuse("the shared memory is not laid out as the order says", 0);
  m.map();
  return m;
}

void SharedMemory::map() {
  void* at = ::mmap(nullptr, layout_.total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, 0);
  if (at == MAP_FAILED) refuse("the shared memory can't be mapped", errno);
  base_ = static_cast<std::byte*>(at);
}

void SharedMemory::swap(SharedMemory& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(layout_, other.layout_);
}

SharedMemory::~SharedMemory() {
  if (base_) ::munmap(base_, layout_.total);
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace datum
