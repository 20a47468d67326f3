#include "tests/scenario/hostile_peers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace datum::scenario {
namespace {

/// Closes with a reset (RST) instead of an orderly shutdown.
void break_off(int fd) {
  const linger at_once{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(fd);
}

}  // namespace

int HostilePeers::enter(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static_cast<void>(
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address));  // may be refused
  return fd;
}

std::size_t HostilePeers::say(int fd, const std::string& bytes) {
  const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

void HostilePeers::storm(int each) {
  for (const int port : ports_)
    for (int i = 0; i < each; ++i) {
      const int fd = enter(port);
      if (i % 3 == 0) {
        break_off(fd);
        continue;
      }
      if (i % 3 == 1) say(fd, "*");
      open_.push_back(fd);
    }
}

void HostilePeers::garbage(std::size_t most) {
  for (const int port : ports_) {
    const int fd = enter(port);
    std::string bytes;
    while (bytes.size() < 4096) bytes += random_() % 32 == 0 ? '\n' : static_cast<char>(random_());
    for (std::size_t sent = 0; sent < most;) {
      const std::size_t n = say(fd, bytes);
      if (n == 0) break;
      sent += n;
    }
    open_.push_back(fd);
  }
}

void HostilePeers::oversized(std::size_t bytes) {
  const std::string block(65536, 'A');
  for (const int port : ports_) {
    const int fd = enter(port);
    for (std::size_t sent = 0; sent < bytes;) {
      const std::size_t n = say(fd, block);
      if (n == 0) break;
      sent += n;
    }
    open_.push_back(fd);
  }
}

void HostilePeers::mute(const std::string& question, std::size_t times) {
  std::string block;
  for (std::size_t i = 0; i < times; ++i) block += question;
  for (const int port : ports_) {
    const int fd = enter(port);
    const int small = 4096;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    say(fd, block);
    open_.push_back(fd);
  }
}

void HostilePeers::drip() {
  while (slow_.size() < ports_.size()) slow_.push_back(enter(ports_[slow_.size()]));
  for (const int fd : slow_) say(fd, std::string(1, static_cast<char>(random_())));
}

void HostilePeers::leave() {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (i % 2 == 0)
      ::close(open_[i]);
    else
      break_off(open_[i]);
  for (const int fd : slow_) ::close(fd);
  open_.clear();
  slow_.clear();
}

}  // namespace datum::scenario
