#include "daemon/parse/parse_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace datum {

ParseBlock ParseBlock::create(const char* name) {
  const int fd = ::memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) throw std::runtime_error(std::string("no memory to share: ") + std::strerror(errno));
  return ParseBlock(fd);
}

ParseBlock::~ParseBlock() {
  if (mapped_) ::munmap(mapped_, mapped_bytes_);
  if (fd_ >= 0) ::close(fd_);
}

ParseBlock::ParseBlock(ParseBlock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

ParseBlock& ParseBlock::operator=(ParseBlock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

void ParseBlock::write(std::uint64_t at, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const char*>(from);
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::pwrite(fd_, bytes + done, size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error(std::string("no memory to share: ") + std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
}

void ParseBlock::map(std::size_t size, int protection) {
  if (size <= mapped_bytes_) return;
  void* const mapped = mapped_ ? ::mremap(mapped_, mapped_bytes_, size, MREMAP_MAYMOVE)
                               : ::mmap(nullptr, size, protection, MAP_SHARED | MAP_POPULATE, fd_, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mapped_ = mapped;
  mapped_bytes_ = size;
}

const std::uint8_t* ParseBlock::mapped(std::size_t size) {
  map(size, PROT_READ);
  return static_cast<const std::uint8_t*>(mapped_);
}

void ParseBlock::write_mapped(std::uint64_t at, const void* from, std::size_t size) {
  if (size == 0) return;
  const std::uint64_t end = at + size;
  if (::lseek(fd_, 0, SEEK_END) < static_cast<off_t>(end) && ::ftruncate(fd_, static_cast<off_t>(end)) != 0)
    throw std::bad_alloc();
  map(end, PROT_READ | PROT_WRITE);
  std::memcpy(static_cast<char*>(mapped_) + at, from, size);
}

bool ParseBlock::read(std::uint64_t at, void* to, std::size_t size) const {
  auto* bytes = static_cast<char*>(to);
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::pread(fd_, bytes + done, size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void ParseBlock::shrink(std::uint64_t bytes) {
  const off_t size = ::lseek(fd_, 0, SEEK_END);
  if (size > static_cast<off_t>(bytes)) static_cast<void>(::ftruncate(fd_, static_cast<off_t>(bytes)) + 1);
}

}  // namespace datum
