#include "drivers/sensor/frame_source.h"

#include <algorithm>

namespace datum {

std::optional<LinkReport> FrameSource::report(MonotonicNs) const {
  LinkReport report;
  report.name = "sensor";
  report.peer = place();
  report.trouble = refusal();
  report.state = report.trouble.empty() ? LinkState::open : LinkState::closed;
  return report;
}
namespace {

constexpr std::size_t recent_limit = 1024;

}  // namespace

void MeasuredFrames::add(const FrameIdentity& identity) {
  recent_.push_back(identity);
  if (recent_.size() > recent_limit) recent_.pop_front();
}

bool MeasuredFrames::has(const FrameIdentity& identity) const {
  if (std::find(recent_.begin(), recent_.end(), identity) != recent_.end() || stored_(identity)) return true;
  const FrameIdentity before{identity.sensor_serial, identity.frame_id, identity.plain_sha256};
  return !identity.plain_sha256.empty() && stored_(before);
}

}  // namespace datum
