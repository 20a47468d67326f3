#include "daemon/system/poll_set.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace datum {

PollSet::PollSet() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

PollSet::~PollSet() { ::close(epoll_); }

void PollSet::add(Pollable& pollable) {
  watches_.push_back({&pollable});
  sync(watches_.back());
}

void PollSet::remove(Pollable& pollable) {
  const auto is = [&](const Watch& w) { return w.pollable == &pollable; };
  for (const auto& w : watches_)
    if (is(w) && w.fd >= 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, w.fd, nullptr);  // fails for a closed descriptor
  watches_.erase(std::remove_if(watches_.begin(), watches_.end(), is), watches_.end());
}

void PollSet::sync() {
  // All removals first: a number that one member closed may be another's by now, and a removal behind it would end its watch.
  for (auto& watch : watches_)
    if (watch.fd >= 0 && watch.fd != watch.pollable->fd()) {
      epoll_ctl(epoll_, EPOLL_CTL_DEL, watch.fd, nullptr);
      watch.fd = -1;
    }
  for (auto& watch : watches_) sync(watch);
}

void PollSet::sync(Watch& watch) {
  const int fd = watch.pollable->fd();
  const bool write = watch.pollable->wants_write();
  watch.fd = fd;
  watch.write = write;
  if (fd < 0) return;
  epoll_event event{};
  event.events = write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = watch.pollable;
  // A closed descriptor left the set by itself, and its number may be in use again.
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event) != 0) epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void PollSet::on_ready(MonotonicNs now) {
  std::array<epoll_event, 16> events{};
  const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < n; ++i) {
    auto* pollable = static_cast<Pollable*>(events[static_cast<std::size_t>(i)].data.ptr);
    const auto known = [&](const Watch& w) { return w.pollable == pollable; };
    if (std::any_of(watches_.begin(), watches_.end(), known)) pollable->on_ready(now);
  }
  sync();
}

std::optional<MonotonicNs> PollSet::deadline() const {
  std::optional<MonotonicNs> earliest;
  for (const auto& watch : watches_)
    if (const auto d = watch.pollable->deadline()) earliest = std::min(earliest.value_or(*d), *d);
  return earliest;
}

void PollSet::on_deadline(MonotonicNs now) {
  // by index: a callback may add to the set
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    Pollable* pollable = watches_[i].pollable;
    if (const auto d = pollable->deadline(); d && *d <= now) pollable->on_deadline(now);
  }
  sync();
}

}  // namespace datum
