#include "daemon/metrics/metrics_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "daemon/metrics/listening_socket.h"

namespace datum {
namespace {

constexpr std::size_t longest_answer = 8u << 20;

[[noreturn]] void no_metrics(const std::string& where, const std::string& why) {
  throw std::runtime_error("metrics at " + where + ": " + why);
}

struct MetricsPlace {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string words;
};

MetricsPlace place_of(const MetricsSettings& s) {
  MetricsPlace place;
  if (!s.socket.empty()) {
    auto& at = reinterpret_cast<sockaddr_un&>(place.address);
    place.words = s.socket.string();
    if (place.words.size() >= sizeof at.sun_path) no_metrics(place.words, "its path is too long");
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, place.words.c_str(), place.words.size() + 1);
    place.size = sizeof at;
    return place;
  }
  place.words = fmt::format("{} port {}", s.address, s.port);
  auto& v4 = reinterpret_cast<sockaddr_in&>(place.address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(place.address);
  if (inet_pton(AF_INET, s.address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(s.port);
    place.size = sizeof v4;
  } else {
    inet_pton(AF_INET6, s.address.c_str(), &v6.sin6_addr);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(s.port);
    place.size = sizeof v6;
  }
  return place;
}

}  // namespace

std::string fetch_metrics(const MetricsSettings& settings, int timeout_ms) {
  const MetricsPlace place = place_of(settings);
  const Descriptor socket(::socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  constexpr int ms_per_s = 1000;
  const timeval timeout{timeout_ms / ms_per_s, timeout_ms % ms_per_s * 1000};  // of each read and write
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place.address), place.size) != 0)
    no_metrics(place.words, std::strerror(errno));
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    no_metrics(place.words, std::strerror(errno));
  std::string answer;
  std::array<char, 65536> bytes{};
  ssize_t n = 0;
  while ((n = ::recv(socket.get(), bytes.data(), bytes.size(), 0)) > 0 && answer.size() < longest_answer)
    answer.append(bytes.data(), static_cast<std::size_t>(n));
  if (n < 0) no_metrics(place.words, std::strerror(errno));
  const std::size_t head = answer.find("\r\n\r\n");
  if (head == answer.npos || answer.find(" 200 ") > head)
    no_metrics(place.words, "answered " + answer.substr(0, answer.find("\r\n")));
  return answer.substr(head + 4);
}

}  // namespace datum
