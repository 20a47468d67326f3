#include "daemon/calibration/awaited_touch.h"

namespace datum {

void AwaitedTouch::start(const TouchSettings& settings, MonotonicNs now) {
  source_.emplace(settings);
  active_ = true;
  cmm_->listen(settings.rule == TouchRule::latched, now);
  source_->ask(now);
  cmm_->poll_soon(now);
}

void AwaitedTouch::abort(MonotonicNs now) {
  active_ = false;
  if (cmm_) cmm_->listen(false, now);
}

bool AwaitedTouch::end_if_finished(MonotonicNs now) {
  if (!source_->finished()) return false;
  abort(now);
  ended_(*source_, now);
  return true;
}

void AwaitedTouch::position(const ProbePoint& sample, MonotonicNs now) {
  if (!active_) return;
  source_->position(sample, now);
  if (!end_if_finished(now) && source_->wants_position()) cmm_->poll_soon(now);
}

void AwaitedTouch::latched(const ProbePoint& sample, MonotonicNs now) {
  if (!active_) return;
  source_->latched(sample, now);
  end_if_finished(now);
}

void AwaitedTouch::on_deadline(MonotonicNs now) {
  if (!active_) return;
  source_->on_deadline(now);
  end_if_finished(now);
}

}  // namespace datum
