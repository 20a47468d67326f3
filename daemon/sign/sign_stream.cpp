#include "daemon/sign/sign_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace datum {
namespace {

constexpr std::size_t most_line = 512, part_bytes = 65536;

}  // namespace

SignStream::SignStream(int socket, std::chrono::milliseconds timeout)
    : socket_(socket), end_(std::chrono::steady_clock::now() + timeout) {}

SignStream::~SignStream() { ::close(socket_); }

void SignStream::wait(short events) const {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now()).count();
    pollfd on{socket_, events, 0};
    const int ready = left <= 0 ? 0 : ::poll(&on, 1, static_cast<int>(left));
    if (ready > 0) return;
    if (ready == 0) throw SignStreamError("no answer in time");
    if (errno != EINTR) throw SignStreamError(std::strerror(errno));
  }
}

void SignStream::fill() {
  wait(POLLIN);
  std::array<char, part_bytes> bytes;
  const ssize_t n = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n == 0) throw SignStreamError("the other side hung up");
  if (n > 0) taken_.append(bytes.data(), static_cast<std::size_t>(n));
  if (n < 0 && errno != EINTR && errno != EAGAIN) throw SignStreamError(std::strerror(errno));
}

std::string SignStream::line() {
  std::size_t end = taken_.find('\n');
  while (end == std::string::npos && taken_.size() <= most_line) {
    fill();
    end = taken_.find('\n');
  }
  if (end == std::string::npos || end > most_line)
    throw SignStreamError(fmt::format("a line of more than {} bytes", most_line));
  std::string text = taken_.substr(0, end);
  taken_.erase(0, end + 1);
  return text;
}

void SignStream::take(std::uint64_t bytes, const std::function<void(std::string_view)>& part) {
  while (bytes > 0) {
    if (taken_.empty()) fill();
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, taken_.size()));
    part(std::string_view(taken_).substr(0, n));
    taken_.erase(0, n);
    bytes -= n;
  }
}

void SignStream::send(std::string_view bytes) {
  while (!bytes.empty()) {
    wait(POLLOUT);
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR && errno != EAGAIN) throw SignStreamError(std::strerror(errno));
  }
}

std::uint64_t SignStream::number_of(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most)
    throw SignStreamError(fmt::format("'{}' is no number up to {}", text.substr(0, 40), most));
  return value;
}

}  // namespace datum
