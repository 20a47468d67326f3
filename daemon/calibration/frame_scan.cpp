#include "daemon/calibration/frame_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {

struct FrameScan::Taken {
  ClaimedFrame claim;
  FrameIdentity identity;
  std::string error;
  bool settled = false;
};

FrameScan::FrameScan(const ProcedureDependencies& dependencies, std::string command)
    : deps_(dependencies),
      command_(std::move(command)),
      stare_(deps_.config.cmm ? deps_.config.cmm->pairing : PairSettings{}) {}

void FrameScan::start(Examine examine, Ended ended, MonotonicNs now) {
  examine_ = std::move(examine);
  ended_ = std::move(ended);
  active_ = true;
  deps_.frames.begin(now);  // what lies there already is seen before
  asked_ns_ = now;
  stare_.start(now);
  deps_.cmm->poll_soon(now);
  frame_due_ = now + deps_.config.frame_timeout_ms * ns_per_ms;
}

void FrameScan::abort() {
  active_ = false;
  stare_.abort();
  frame_due_.reset();
  taken_.reset();
}

void FrameScan::position(const ProbePoint& sample, MonotonicNs now) {
  if (!active_ || !stare_.wants_position()) return;
  stare_.position(sample, now);
  if (stare_.step() == StareSession::Step::wait_frame) {
    deps_.frames.expose(now);
    deps_.changed();  // the sensor may expose now
  }
  end_when_complete();
}

void FrameScan::after_round(MonotonicNs now) {
  if (!awaits_frame() || deps_.worker.busy()) return;
  while (auto claim = deps_.frames.next()) {
    if (claim->first_seen_ns > asked_ns_ && !claim->left_over) return take(*claim, now);
    deps_.frames.failed(*claim, "arrived before " + command_ + "; the sensor must expose after it");
  }
}

void FrameScan::take(const ClaimedFrame& claim, MonotonicNs now) {
  taken_ = std::make_shared<Taken>();
  taken_->claim = claim;
  frame_due_.reset();
  stare_.frame_arrived(now);
  deps_.cmm->poll_soon(now);
  deps_.worker.submit_fallible(
      [t = taken_, examine = examine_, &sensor = deps_.sensor] {
        DroppedFrame frame = load_frame(t->claim, sensor);
        t->identity = frame.identity;
        examine(frame);
      },
      [this, t = taken_](const std::string& failed) {
        t->error = failed;
        settle(t);
      });
}

/// Its delivery ends, also where the scan was aborted meanwhile.
void FrameScan::settle(const std::shared_ptr<Taken>& t) {
  if (!t->error.empty()) {
    deps_.frames.failed(t->claim, t->error);
  } else if (deps_.frames.is_duplicate(t->identity)) {
    t->error = "frame " + t->identity.frame_id + " was delivered before; let the sensor expose again";
    deps_.frames.duplicate(t->claim, t->identity);
  } else {
    deps_.frames.measured(t->claim, t->identity);
  }
  if (t != taken_) return;  // aborted
  t->settled = true;
  end_when_complete();
}

/// Both the frame and the positions around it have come, or one of them can't.
void FrameScan::end_when_complete() {
  if (taken_ && !taken_->settled) return;
  if (taken_ && !taken_->error.empty()) return end({taken_->error, {}, {}});
  if (stare_.step() == StareSession::Step::failed) return end({stare_.result().detail, {}, {}});
  if (!taken_ || stare_.step() != StareSession::Step::done) return;
  end({"", taken_->claim, taken_->identity, stare_.result().after.position_mm,
       stare_.result().after.head_deg});
}

void FrameScan::end(Result result) {
  abort();
  const Ended ended = std::exchange(ended_, nullptr);  // it may start another scan
  ended(result);
}

std::optional<MonotonicNs> FrameScan::deadline() const {
  if (!active_) return std::nullopt;
  const auto stare = stare_.deadline();
  if (!stare || !frame_due_) return stare ? stare : frame_due_;
  return std::min(*stare, *frame_due_);
}

void FrameScan::on_deadline(MonotonicNs now) {
  if (!active_) return;
  stare_.on_deadline(now);
  if (frame_due_ && now >= *frame_due_)
    return end({fmt::format("no frame came within {} ms; check the sensor and {}",
                            deps_.config.frame_timeout_ms, deps_.frames.place()),
                {},
                {}});
  end_when_complete();
}

}  // namespace datum
