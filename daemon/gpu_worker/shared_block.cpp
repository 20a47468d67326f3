#include "daemon/gpu_worker/shared_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

[[noreturn]] void refuse(const std::string& what, int error) {
  throw GpuError("GPU worker: " + what + (error ? std::string(": ") + std::strerror(error) : ""), false);
}

}  // namespace

SharedBlock SharedBlock::create(std::uint64_t bytes) {
  SharedBlock m;
  m.bytes_ = bytes;
  m.fd_ = ::memfd_create("datumd-frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (m.fd_ < 0) refuse("no shared memory", errno);
  // Allocated now: a missing page would raise a signal on writing, not an error.
  const int error = ::posix_fallocate(m.fd_, 0, static_cast<off_t>(bytes));
  if (error) refuse("no " + std::to_string(bytes >> 20) + " MiB of shared memory", error);
  // Sealed: a truncation by the other side would raise a signal too.
  if (::fcntl(m.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    refuse("the shared memory's size can't be held", errno);
  m.map();
  return m;
}

SharedBlock SharedBlock::map(int fd, std::uint64_t bytes) {
  SharedBlock m;
  m.fd_ = fd;
  m.bytes_ = bytes;
  struct stat file {};
  if (::fstat(fd, &file) != 0) refuse("the shared memory can't be looked at", errno);
  if (static_cast<std::uint64_t>(file.st_size) != bytes)
    refuse("the shared memory is not laid out as the order says", 0);
  m.map();
  return m;
}

void SharedBlock::map() {
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, 0);
  if (at == MAP_FAILED) refuse("the shared memory can't be mapped", errno);
  base_ = static_cast<std::byte*>(at);
}

void SharedBlock::swap(SharedBlock& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  std::swap(base_, other.base_);
}

SharedBlock::~SharedBlock() {
  if (base_) ::munmap(base_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace datum
