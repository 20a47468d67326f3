#include "tests/virtual_cell/relay_pair.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace datum {
namespace {

constexpr std::size_t most_held = std::size_t{16} * 1024;  // beyond it the sender waits, as for a slow line

LineFaultSettings way_back(LineFaultSettings settings) {
  ++settings.seed;
  return settings;
}

bool later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

RelayPair::RelayPair(int host, int daemon, const LineFaultSettings& settings)
    : ways_{Way{host, daemon, LineFaults(settings), ""},
            Way{daemon, host, LineFaults(way_back(settings)), ""}} {}

void RelayPair::pump(MonotonicNs now) {
  for (Way& way : ways_) {
    read(way, now);
    write(way, now);
    ended_ = ended_ || (way.unsent.empty() && way.faults.hung_up(now));
  }
}

void RelayPair::read(Way& way, MonotonicNs now) {
  char bytes[4096];
  while (!ended_ && way.faults.held() < most_held) {
    const ssize_t n = ::read(way.from, bytes, sizeof bytes);
    if (n > 0) {
      way.faults.put({bytes, static_cast<std::size_t>(n)}, now);
    } else if (n < 0 && later()) {
      return;
    } else {
      ended_ = true;
    }
  }
}

/// Writes a piece alone, so that its reader may receive it alone.
void RelayPair::write(Way& way, MonotonicNs now) {
  while (!ended_) {
    if (way.unsent.empty()) way.unsent = way.faults.take(now);
    if (way.unsent.empty()) return;
    const ssize_t n = ::write(way.to, way.unsent.data(), way.unsent.size());
    if (n < 0 && later()) return;
    if (n < 0) {
      ended_ = true;
    } else {
      way.unsent.erase(0, static_cast<std::size_t>(n));
    }
  }
}

short RelayPair::events(int end) const {
  const Way &out = ways_[static_cast<std::size_t>(end)], &in = ways_[static_cast<std::size_t>(1 - end)];
  return static_cast<short>((out.faults.held() < most_held ? POLLIN : 0) | (in.unsent.empty() ? 0 : POLLOUT));
}

std::optional<MonotonicNs> RelayPair::deadline() const {
  std::optional<MonotonicNs> earliest;
  for (const Way& way : ways_)
    if (const auto due = way.faults.deadline(); due && way.unsent.empty())
      earliest = std::min(earliest.value_or(*due), *due);
  return earliest;
}

}  // namespace datum
