#include "drivers/port/tcp_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "drivers/port/socket_port.h"

namespace datum {
namespace {

constexpr MonotonicNs pause_ns = 1'000'000'000;
constexpr int most_per_event = 64;  // limit per event, so that other objects of the loop get their turn

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

int listening_socket(const addrinfo& at) {
  const int socket = ::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // a restart does not wait for TIME_WAIT
  if (bind(socket, at.ai_addr, at.ai_addrlen) == 0 && listen(socket, SOMAXCONN) == 0) return socket;
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

/// Empty where the socket listens for TCP connections on that address and port.
std::string contradiction(int socket, const addrinfo& at) {
  int type = 0, listens = 0;
  socklen_t size = sizeof type;
  sockaddr_storage bound{};
  socklen_t bound_size = sizeof bound;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM ||
      getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &bound_size) != 0 ||
      (bound.ss_family != AF_INET && bound.ss_family != AF_INET6))
    return "is no listening TCP socket";
  sockaddr_storage wanted{};
  std::memcpy(&wanted, at.ai_addr, at.ai_addrlen);
  const std::string is = text_of(bound, bound_size);
  return is == text_of(wanted, at.ai_addrlen) ? "" : "listens at " + is;
}

int adopted_socket(int socket, const addrinfo& at, const std::string& configured) {
  const std::string wrong = contradiction(socket, at);
  if (wrong.empty() && fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0 &&
      fcntl(socket, F_SETFD, FD_CLOEXEC) == 0)
    return socket;
  const int error = errno;
  close(socket);
  throw RefusedError(fmt::format(
      "{}: the socket that was handed over {}; make its ListenStream= and the configuration the same",
      configured, wrong.empty() ? std::strerror(error) : wrong));
}

struct FreeAddress {
  void operator()(addrinfo* address) const { freeaddrinfo(address); }
};

}  // namespace

TcpListener::TcpListener(const std::string& address, std::uint16_t port, Accept accept, int inherited)
    : address_(address), port_(port), accept_(std::move(accept)) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw RefusedError(fmt::format("listen address '{}': must be numeric, e.g. 127.0.0.1 or ::", address));
  const std::unique_ptr<addrinfo, FreeAddress> at(found);
  fd_ = inherited >= 0 ? adopted_socket(inherited, *at, describe()) : listening_socket(*at);
  if (fd_ < 0) throw RefusedError(fmt::format("{}: {}", describe(), std::strerror(errno)));
  port_ = port_of(fd_);
}

TcpListener::~TcpListener() { close(fd_); }

void TcpListener::on_ready(MonotonicNs now) {
  for (int i = 0; i < most_per_event; ++i) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const int socket = accept4(fd_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      const std::string name = text_of(peer, size);
      accept_(accepted_port(socket, name), name, now);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      paused_until_ = now + pause_ns;
      return;
    }  // otherwise this one connection failed before it was accepted: the next
  }
}

void TcpListener::on_deadline(MonotonicNs now) {
  if (!paused_until_ || now < *paused_until_) return;
  paused_until_.reset();
  on_ready(now);
}

std::string TcpListener::describe() const {
  return fmt::format("tcp listener {}:{}{}", address_, port_, paused_until_ ? ": out of descriptors" : "");
}

}  // namespace datum
