// Listening sockets for scrapers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace datum {

/// Closes the descriptor at its destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Listens, non-blocking. Removes the socket file of a dead datumd. Mode 0660, so that the file's group may connect.
/// Throws std::runtime_error where another program listens there, or the socket can't be created.
Descriptor listen_at(const std::filesystem::path& socket);
/// Listens on a numeric loopback address; port 0 selects a free one. Throws std::runtime_error.
Descriptor listen_at(const std::string& address, std::uint16_t port);
std::uint16_t port_of(const Descriptor& socket);

}  // namespace datum
