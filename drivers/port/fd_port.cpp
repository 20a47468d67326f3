#include "drivers/port/fd_port.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace datum {

void FdPort::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void FdPort::throw_lost(const std::string& what) const {
  throw LostError(fmt::format("{}: {}", describe(), what));
}

void FdPort::throw_lost(const std::string& what, int error_number) const {
  throw_lost(fmt::format("{}: {}", what, std::strerror(error_number)));
}

std::size_t FdPort::read(std::uint8_t* to, std::size_t room) {
  if (fd_ < 0) throw_lost("is not open");
  if (room == 0) return 0;
  const ssize_t got = ::read(fd_, to, room);
  if (got > 0) return static_cast<std::size_t>(got);
  if (got == 0) throw_lost("the peer closed the connection or hung up");
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
  throw_lost("read failed", errno);
}

std::size_t FdPort::write(const std::uint8_t* from, std::size_t size) {
  if (fd_ < 0) throw_lost("is not open");
  const ssize_t put = ::write(fd_, from, size);
  if (put >= 0) return static_cast<std::size_t>(put);
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
  throw_lost("write failed", errno);
}

}  // namespace datum
