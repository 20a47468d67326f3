#include "daemon/cell/utc_watch.h"

#include <algorithm>

namespace datum {
namespace {

constexpr MonotonicNs least_step_ns = 100'000'000;
constexpr MonotonicNs stretch_ns = 600'000'000'000;

}  // namespace

UtcWatch::Range UtcWatch::both(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

std::optional<std::int64_t> UtcWatch::observe(MonotonicNs now, std::int64_t utc_ns) {
  const MonotonicNs offset_ns = now - utc_ns;
  const Range here{offset_ns, offset_ns};
  const MonotonicNs step_ns = known_ ? offset_ns_ - offset_ns : 0;
  if (!known_) {
    now_ = before_ = here;
    began_ns_ = now;
    least_ever_ns_ = offset_ns;
  }
  if (now - began_ns_ >= stretch_ns) {
    before_ = now_;
    now_ = here;
    began_ns_ = now;
  }
  now_ = both(now_, here);
  known_ = true;
  offset_ns_ = offset_ns;
  least_ever_ns_ = std::min(least_ever_ns_, offset_ns);
  if (step_ns > -least_step_ns && step_ns < least_step_ns) return std::nullopt;
  return step_ns;
}

std::optional<HostSpan> UtcWatch::host_time(std::int64_t utc_ns, std::int64_t uncertainty_ns) const {
  if (!known_) return std::nullopt;
  const Range offset = both(now_, before_);
  return HostSpan{utc_ns + offset.least - uncertainty_ns, utc_ns + offset.most + uncertainty_ns};
}

std::int64_t UtcWatch::latest_utc_ns(MonotonicNs now) const { return now - least_ever_ns_; }

}  // namespace datum
