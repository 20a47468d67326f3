// Owner of a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace datum {

class Descriptor {
 public:
  /// Owns `fd`; negative: none.
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace datum
