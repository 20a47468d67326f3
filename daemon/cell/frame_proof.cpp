#include "daemon/cell/frame_proof.h"

#include <algorithm>

namespace datum {
namespace {

// As many as a source remembers of measured frames (frame_source.cpp): an hour of boards at three seconds each.
constexpr std::size_t most_seen = 1024;

}  // namespace

Proof proof_of(const FrameEvidence& frame, const TriggerEvidence& trigger) {
  if (frame.exposed && frame.exposed->to_ns < trigger.at_ns) return Proof::another;
  const bool both_named = !frame.unit_id.empty() && !trigger.unit_id.empty();
  if (both_named && frame.unit_id != trigger.unit_id) return Proof::another;
  if (frame.exposed && frame.exposed->from_ns >= std::min(trigger.at_ns, trigger.before_ns))
    return Proof::clock;
  if (both_named && trigger.unit_is_exposure) return Proof::unit;
  return trigger.outstanding == 0 ? Proof::order : Proof::none;
}

void OutstandingExposures::triggered(MonotonicNs now, std::optional<MonotonicNs> link_since) {
  ended();
  std::erase_if(earlier_,
                [&](MonotonicNs at) { return now - at > late_ns_ || (link_since && at < *link_since); });
}

void OutstandingExposures::ended() {
  if (current_) earlier_.push_back(*current_);
  current_.reset();
}

void OutstandingExposures::came(std::size_t frames) {
  for (; frames > 0 && !earlier_.empty(); --frames) earlier_.pop_front();
}

std::optional<MonotonicNs> OutstandingExposures::oldest_ns() const {
  return earlier_.empty() ? std::nullopt : std::optional(earlier_.front());
}

std::string SeenPictures::id_of(const std::string& serial, const std::string& sha256) const {
  const auto same = [&](const Seen& s) { return s.sha256 == sha256 && s.serial == serial; };
  const auto found = std::find_if(seen_.rbegin(), seen_.rend(), same);
  return found == seen_.rend() ? "" : found->id;
}

void SeenPictures::add(const std::string& serial, const std::string& sha256, const std::string& id) {
  seen_.push_back({serial, sha256, id});
  if (seen_.size() > most_seen) seen_.pop_front();
}

void SeenPictures::remove(const std::string& serial, const std::string& sha256, const std::string& id) {
  const auto newest = std::find(seen_.rbegin(), seen_.rend(), Seen{serial, sha256, id});
  if (newest != seen_.rend()) seen_.erase(std::next(newest).base());
}

}  // namespace datum
