#include "drivers/cmm/position_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

double distance_mm(const ProbePoint& a, const ProbePoint& b) {
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) squares += std::pow(b.position_mm[i] - a.position_mm[i], 2);
  return std::sqrt(squares);
}

}  // namespace

void PositionWatch::reset() { seen_ = equal_ = 0; }

// Longest possible duration: from the first byte of the previous position to the last byte of this one.
void PositionWatch::look_for_jump(const ProbePoint& point) {
  const double s = 1e-9 * static_cast<double>(point.last_byte_ns - before_.first_byte_ns);
  const double way_mm = distance_mm(before_, point);
  if (way_mm <= settings_.max_speed_mm_per_s * s) return;
  jumped_ = fmt::format(
      "the position jumped by {:.3f} mm within {:.3f} s; allowed: {} mm/s. Zeroed, preset or misread: check "
      "the device, then confirm that it is referenced",
      way_mm, s, settings_.max_speed_mm_per_s);
}

void PositionWatch::look_at(ProbePoint& point) {
  if (point.state != ProbeState::ok) return;
  const bool first = seen_ == 0;
  seen_ = std::min(seen_ + 1, 1'000'000);
  equal_ = !first && point.position_mm == before_.position_mm ? std::min(equal_ + 1, 1'000'000) : 1;
  if (!first && settings_.max_speed_mm_per_s > 0) look_for_jump(point);
  before_ = point;
  if (!jumped_.empty()) {
    point.state = ProbeState::not_referenced;
    point.detail = jumped_;
  } else if (settings_.frozen_samples > 0 && equal_ >= settings_.frozen_samples) {
    point.state = ProbeState::stale;
    point.detail = fmt::format("frozen: {} positions without the least change", equal_);
  } else if (seen_ <= settings_.first_samples) {
    point.state = ProbeState::none_yet;
    point.detail =
        fmt::format("{} of the first {} positions, which are not used", seen_, settings_.first_samples);
  }
}

}  // namespace datum
