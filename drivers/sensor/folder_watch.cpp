#include "drivers/sensor/folder_watch.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "drivers/link_error.h"

namespace datum {

FolderWatch::FolderWatch(const std::filesystem::path& folder)
    : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  constexpr std::uint32_t events =
      IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  if (fd_ >= 0 && ::inotify_add_watch(fd_, folder.c_str(), events) >= 0) return;
  const std::string why = std::strerror(errno);
  if (fd_ >= 0) ::close(fd_);
  throw LostError(fmt::format("{} can't be watched: {}", folder.string(), why));
}

FolderWatch::~FolderWatch() { ::close(fd_); }

std::vector<FolderEvent> FolderWatch::read() {
  using Kind = FolderEvent::Kind;
  std::vector<FolderEvent> events;
  alignas(inotify_event) std::array<char, 4096> buffer;
  ssize_t size = 0;
  do size = ::read(fd_, buffer.data(), buffer.size());
  while (size < 0 && errno == EINTR);
  for (ssize_t at = 0; at < size;) {
    inotify_event event;
    std::memcpy(&event, buffer.data() + at, sizeof event);
    const std::string name = event.len ? buffer.data() + at + sizeof event : "";
    at += static_cast<ssize_t>(sizeof event + event.len);
    if (event.mask & IN_Q_OVERFLOW) {
      events.push_back({Kind::overflow, {}});
    } else if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) {
      events.push_back({Kind::gone, {}});
    } else if (event.mask & (IN_MOVED_TO | IN_CLOSE_WRITE)) {
      events.push_back({Kind::complete, name});
    } else if (event.mask & IN_CREATE) {
      events.push_back({Kind::created, name});
    }
  }
  return events;
}

}  // namespace datum
