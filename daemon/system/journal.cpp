#include "daemon/system/journal.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace datum {

Journal::Journal(const std::string& socket)
    : address_(socket.substr(0, sizeof(sockaddr_un::sun_path) - 1)),
      socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}

Journal::~Journal() {
  if (socket_ >= 0) ::close(socket_);
}

std::string journal_entry(const Journal::Fields& fields) {
  std::string entry;
  for (const auto& [name, whole] : fields) {
    const std::string_view value = std::string_view(whole).substr(0, Journal::longest_value);
    entry += name;
    if (value.find('\n') == value.npos) {
      entry += '=';
    } else {
      entry += '\n';
      for (int i = 0; i < 8; ++i)
        entry += static_cast<char>(value.size() >> (8 * i) & 0xFF);  // little endian
    }
    entry += value;
    entry += '\n';
  }
  return entry;
}

/// Not connected, so that a restarted journal is found again.
bool Journal::send(const Fields& fields) const {
  const std::string entry = journal_entry(fields);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address_.c_str(), address_.size() + 1);
  return ::sendto(socket_, entry.data(), entry.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                  reinterpret_cast<const sockaddr*>(&to), sizeof to) == static_cast<ssize_t>(entry.size());
}

bool Journal::has_standard_error() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat s {};
  return stream && ::fstat(STDERR_FILENO, &s) == 0 && fmt::format("{}:{}", s.st_dev, s.st_ino) == stream;
}

}  // namespace datum
