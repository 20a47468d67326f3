#include "drivers/cmm/stare_session.h"

#include <fmt/format.h>

namespace datum {

void StareSession::start(MonotonicNs now) {
  result_ = PairingResult{};
  last_ = ProbePoint{};
  asked_ns_ = now;
  step_ = Step::wait_before;
  deadline_ = now + settings_.position_timeout_ms * ns_per_ms;
}

void StareSession::position(const ProbePoint& sample, MonotonicNs now) {
  if (!wants_position() || measured_not_before(sample, settings_) < asked_ns_) return;
  last_ = sample;
  if (sample.state != ProbeState::ok) return;
  if (step_ == Step::wait_before) {
    result_.before = sample;
    step_ = Step::wait_frame;
    deadline_ = now + settings_.frame_timeout_ms * ns_per_ms;
    return;
  }
  result_ = pair(result_.before, sample, window_, settings_);
  step_ = result_.accepted ? Step::done : Step::failed;
  deadline_.reset();
}

void StareSession::frame_arrived(MonotonicNs now, std::optional<CaptureWindow> captured) {
  if (step_ == Step::wait_before)
    return fail(PairFault::missing,
                "the frame came before the position before it: trigger once the position is known");
  if (step_ != Step::wait_frame) return;
  window_ = captured.value_or(CaptureWindow{result_.before.last_byte_ns, now});
  last_ = ProbePoint{};
  asked_ns_ = now;
  step_ = Step::wait_after;
  deadline_ = now + settings_.position_timeout_ms * ns_per_ms;
}

void StareSession::exposed(CaptureWindow captured) {
  window_ = captured;
  if (step_ != Step::done) return;
  result_ = pair(result_.before, result_.after, window_, settings_);
  if (!result_.accepted) step_ = Step::failed;
}

void StareSession::frame_discarded(MonotonicNs now) {
  if (step_ != Step::wait_after && !finished()) return;
  const ProbePoint before = result_.before;
  start(now);
  if (before.state != ProbeState::ok) return;  // it arrived too early: the sensor has not been triggered
  result_.before = before;
  step_ = Step::wait_frame;
  deadline_ = now + settings_.frame_timeout_ms * ns_per_ms;
}

void StareSession::abort() {
  if (step_ != Step::idle && !finished()) fail(PairFault::missing, "aborted");
}

void StareSession::on_deadline(MonotonicNs now) {
  if (!deadline_ || now < *deadline_) return;
  if (step_ == Step::wait_frame)
    return fail(PairFault::missing,
                fmt::format("no frame within {} ms of the position before it", settings_.frame_timeout_ms));
  const bool before = step_ == Step::wait_before;
  (before ? result_.before : result_.after) = last_;
  if (last_.state == ProbeState::none_yet)
    return fail(PairFault::missing, fmt::format("no position {} the frame within {} ms",
                                                before ? "before" : "after", settings_.position_timeout_ms));
  const PairFault fault = last_.state == ProbeState::stale ? PairFault::stale : PairFault::error;
  fail(fault, fmt::format("position {} the frame: {} {}", before ? "before" : "after", name_of(last_.state),
                          last_.detail));
}

void StareSession::fail(PairFault fault, const std::string& detail) {
  result_.accepted = false;
  result_.fault = fault;
  result_.detail = detail;
  step_ = Step::failed;
  deadline_.reset();
}

const char* name_of(StareSession::Step step) {
  switch (step) {
    case StareSession::Step::idle:
      return "idle";
    case StareSession::Step::wait_before:
      return "waiting for the position before";
    case StareSession::Step::wait_frame:
      return "waiting for the frame";
    case StareSession::Step::wait_after:
      return "waiting for the position after";
    case StareSession::Step::done:
      return "done";
    case StareSession::Step::failed:
      return "failed";
  }
  return "?";
}

}  // namespace datum
