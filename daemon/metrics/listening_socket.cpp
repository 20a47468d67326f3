#include "daemon/metrics/listening_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "drivers/port/allow_list.h"

namespace datum {
namespace {

constexpr int backlog = 16;
constexpr mode_t for_the_group = 0660;

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw std::runtime_error(where + ": " + why);
}
[[noreturn]] void fail(const std::string& where) { fail(where, std::strerror(errno)); }

Descriptor new_socket(int family, const std::string& where) {
  Descriptor made(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made.get() < 0) fail(where);
  return made;
}

/// Removes a socket file without a listener.
void clear_away(const std::string& path, const sockaddr_un& address) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return;
  if (!S_ISSOCK(there.st_mode)) fail(path, "is there and no socket");
  const Descriptor probe = new_socket(AF_UNIX, path);
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN)
    fail(path, "another program listens there");
  if (errno != ECONNREFUSED) fail(path);
  ::unlink(path.c_str());
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor listen_at(const std::filesystem::path& socket) {
  const std::string path = socket.string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    fail(path, fmt::format("is longer than the {} bytes that a socket's path may have",
                           sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  clear_away(path, address);
  Descriptor made = new_socket(AF_UNIX, path);
  if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail(path);
  if (::chmod(path.c_str(), for_the_group) != 0 || ::listen(made.get(), backlog) != 0) fail(path);
  return made;
}

Descriptor listen_at(const std::string& address, std::uint16_t port) {
  const std::string where = fmt::format("{} port {}", address, port);
  if (!is_loopback(address)) fail(where, "is no loopback address");
  sockaddr_storage at{};
  socklen_t size = sizeof(sockaddr_in);
  auto& v4 = reinterpret_cast<sockaddr_in&>(at);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(at);
  if (inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
  } else {
    inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    size = sizeof v6;
  }
  Descriptor made = new_socket(at.ss_family, where);
  const int on = 1;
  ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on,
               sizeof on);  // a restart need not wait for TIME_WAIT
  if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&at), size) != 0 ||
      ::listen(made.get(), backlog) != 0)
    fail(where);
  return made;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                        : reinterpret_cast<sockaddr_in&>(at).sin_port);
}

}  // namespace datum
