// A pseudo-terminal whose far end belongs to the test, and waiting for a descriptor without a sleep.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "drivers/port/port.h"

namespace datum::testing {

/// True once `fd` is readable or has hung up; false after 10 s, which only a faulty program needs.
inline bool wait_readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return poll(&entry, 1, 10'000) == 1;
}

class PtyPair {
 public:
  PtyPair() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0)
      throw std::runtime_error("no pseudo-terminal");
    path_ = ptsname(master_);
  }
  ~PtyPair() { hang_up(); }
  PtyPair(const PtyPair&) = delete;
  PtyPair& operator=(const PtyPair&) = delete;

  const std::string& path() const { return path_; }
  int fd() const { return master_; }
  void hang_up() {
    if (master_ >= 0) ::close(std::exchange(master_, -1));
  }
  void send(const std::string& bytes) const {
    ASSERT_EQ(::write(master_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  /// Exactly `size` bytes written by the port; fewer if they do not arrive.
  std::string receive(std::size_t size) const {
    std::string got;
    while (got.size() < size && wait_readable(master_)) {
      char byte = 0;
      if (::read(master_, &byte, 1) != 1) break;
      got += byte;
    }
    return got;
  }

 private:
  int master_;
  std::string path_;
};

/// Exactly `size` bytes from the port; fewer if they do not arrive.
inline std::string receive(Port& port, std::size_t size) {
  std::string got;
  std::uint8_t byte = 0;
  while (got.size() < size && wait_readable(port.fd()))
    if (port.read(&byte, 1) == 1) got += static_cast<char>(byte);
  return got;
}

/// what() of the E thrown by `act`; empty if none is thrown.
template <class E, class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

}  // namespace datum::testing
