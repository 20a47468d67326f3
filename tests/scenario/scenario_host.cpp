#include "tests/scenario/scenario_host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace datum::scenario {

int connect_tcp(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int why = errno;
    ::close(fd);
    throw std::system_error(why, std::generic_category(), "connect");
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

Host::~Host() {
  if (owns_) ::close(fd_);
}

void Host::send(const std::string& line) {
  const std::string bytes = line + "\n";
  if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "can't send " + line);
}

bool Host::receive() {
  char bytes[4096];
  ssize_t n = 0;
  while ((n = ::read(fd_, bytes, sizeof bytes)) > 0) received_.append(bytes, static_cast<std::size_t>(n));
  for (std::size_t end = 0; (end = received_.find('\n')) != std::string::npos; received_.erase(0, end + 1)) {
    const std::string line = received_.substr(0, end);
    (plc::is_pushed(line) ? pushed_ : answers_).push_back(line);
  }
  return n < 0 && errno == EAGAIN;
}

std::string Host::next(std::deque<std::string>& lines, const std::string& what) {
  const Deadline deadline = timeout();
  while (lines.empty()) {
    if (!readable({fd_}, deadline)) throw std::runtime_error("nothing came: " + what);
    if (!receive() && lines.empty()) throw std::runtime_error("datumd hung up: " + what);
  }
  std::string line = lines.front();
  lines.pop_front();
  return line;
}

std::string Host::ask(const std::string& query) {
  send(query);
  return next(answers_, query);
}

plc::ResultLine Host::result() { return plc::read_result(next(pushed_, "a result line")); }

std::optional<std::string> Host::pushed() {
  if (pushed_.empty()) return std::nullopt;
  return next(pushed_, "");
}

}  // namespace datum::scenario
