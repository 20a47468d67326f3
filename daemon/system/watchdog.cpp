#include "daemon/system/watchdog.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <utility>

namespace datum {

MonotonicNs watchdog_period_ns() {
  std::uint64_t period_us = 0;
  return sd_watchdog_enabled(0, &period_us) > 0 ? static_cast<MonotonicNs>(period_us) * 1000 : 0;
}

void Watchdog::feed(MonotonicNs now) {
  if (parts_.period_ns == 0) return;
  if (const std::uint64_t marks = parts_.marks(); std::exchange(marks_, marks) != marks) marked_ = now;
  if (now < next_ || hangs(now)) return;
  parts_.tell();
  fed_ = now;
  next_ = now + parts_.period_ns / 4;
}

bool Watchdog::hangs(MonotonicNs now) {
  const auto since = parts_.busy_since();
  if (!since) return false;
  return now - std::max(*since, marked_) >= parts_.period_ns / 2 || now - *since >= longest_job_ns;
}

}  // namespace datum
