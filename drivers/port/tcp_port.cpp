#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "drivers/port/socket_port.h"

namespace datum {
namespace {

// A busy host may leave its network for a while and fetch results later; a device that is silent beyond
// keepalive makes no measurement.
constexpr int host_timeout_ms = 60'000, device_timeout_ms = 11'000;

// Keepalive is suspended while sent bytes are unacknowledged. Without this limit a peer without power is
// detected after a quarter of an hour if something is sent every second.
void be_patient(int socket, int timeout_ms) {
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

/// A source port from 512 to 1023 shows a daemon on this computer that root connects. Without one the connection is like any
/// other's.
void take_reserved_port(int socket, const addrinfo& to) {
  if (geteuid() != 0 || (to.ai_family != AF_INET && to.ai_family != AF_INET6)) return;
  sockaddr_storage from{};
  std::memcpy(&from, to.ai_addr, to.ai_addrlen);
  auto* v4 = reinterpret_cast<sockaddr_in*>(&from);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&from);
  const bool loopback = to.ai_family == AF_INET ? ntohl(v4->sin_addr.s_addr) >> 24 == 127
                                                : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) != 0;
  if (!loopback) return;
  constexpr int first = 512, ports = 512;
  const int begin = getpid() % ports;  // two programs rarely try the same
  for (int i = 0; i < ports; ++i) {
    const auto port = htons(static_cast<std::uint16_t>(first + (begin + i) % ports));
    (to.ai_family == AF_INET ? v4->sin_port : v6->sin6_port) = port;
    if (bind(socket, reinterpret_cast<const sockaddr*>(&from), to.ai_addrlen) == 0) return;
    if (errno != EADDRINUSE) return;
  }
}

class TcpPort final : public SocketPort {
 public:
  TcpPort(std::string host, std::uint16_t port, SourcePort source)
      : host_(std::move(host)), port_(port), source_(source) {
    if (host_.empty() || port_ == 0)
      throw RefusedError(fmt::format("tcp '{}:{}': needs a host and a port from 1 to 65535", host_, port_));
  }

  void open() override {
    close();
    in_progress_ = false;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host_.c_str(), std::to_string(port_).c_str(), &hints, &found);
        error != 0) {
      const std::string text = fmt::format("{}: {}", describe(), gai_strerror(error));
      if (error == EAI_NONAME) throw RefusedError(text);
      throw LostError(text);
    }
    const std::unique_ptr<addrinfo, FreeAddresses> list(found);
    fd_ = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) throw_lost("no socket", errno);
    tune_socket(fd_);
    be_patient(fd_, device_timeout_ms);
    if (source_ == SourcePort::reserved) take_reserved_port(fd_, *found);
    if (connect(fd_, found->ai_addr, found->ai_addrlen) == 0) return;
    const int error = errno;
    if (error == EINPROGRESS) {
      in_progress_ = true;
      return;
    }
    close();
    throw_lost("can't connect", error);
  }

  bool connected() const override { return is_open() && (!in_progress_ || settled() == 0); }

  bool wants_write() const override { return is_open() && in_progress_; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    return finish_connect() ? SocketPort::read(to, room) : 0;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    return finish_connect() ? SocketPort::write(from, size) : 0;
  }

  std::string describe() const override { return fmt::format("tcp {}:{}", host_, port_); }

 private:
  static constexpr int pending = -1;

  // 0: connected; pending; otherwise the error of the connect, which the kernel reports once.
  int settled() const {
    pollfd writable{fd_, POLLOUT, 0};
    if (poll(&writable, 1, 0) <= 0) return pending;
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    return getpeername(fd_, reinterpret_cast<sockaddr*>(&peer), &size) == 0 ? 0 : errno;
  }

  bool finish_connect() {
    if (!in_progress_) return true;
    const int state = settled();
    if (state == pending) return false;
    in_progress_ = false;
    if (state == 0) return true;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0) error = state;
    close();
    throw_lost("can't connect", error);
  }

  std::string host_;
  std::uint16_t port_;
  SourcePort source_;
  bool in_progress_ = false;
};

class AcceptedPort final : public SocketPort {
 public:
  AcceptedPort(int socket, std::string peer) : peer_(std::move(peer)) {
    fd_ = socket;
    tune_socket(socket);
    be_patient(socket, host_timeout_ms);
  }
  void open() override {
    if (!is_open()) throw RefusedError(describe() + ": the peer must connect again");
  }
  std::string describe() const override { return "tcp from " + peer_; }

 private:
  std::string peer_;
};

}  // namespace

std::size_t SocketPort::write(const std::uint8_t* from, std::size_t size) {
  if (fd_ < 0) throw_lost("is not open");
  const ssize_t put = send(fd_, from, size, MSG_NOSIGNAL);
  if (put >= 0) return static_cast<std::size_t>(put);
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
  throw_lost("write failed", errno);
}

void tune_socket(int socket) {
  const auto set = [socket](int level, int option, int value) {
    setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

std::string text_of(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "unknown peer";
  return std::strchr(host, ':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::unique_ptr<Port> tcp_port(const std::string& host, std::uint16_t port, SourcePort source) {
  return std::make_unique<TcpPort>(host, port, source);
}

std::unique_ptr<Port> accepted_port(int socket, const std::string& peer) {
  return std::make_unique<AcceptedPort>(socket, peer);
}

}  // namespace datum
