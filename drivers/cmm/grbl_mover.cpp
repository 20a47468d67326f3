#include "drivers/cmm/grbl_mover.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/cmm/grbl_motion.h"
#include "drivers/cmm/probe_limits.h"

namespace datum {
namespace {

// A feed hold ends within the deceleration of any machine that moves at 200 mm/s by more than 100 mm/s^2.
constexpr int hold_ms = 3000;
constexpr double s_per_min = 60;

MotionSettings settings_of(const CmmSettings& cmm, double speed_mm_s) {
  return {true, s_per_min * speed_mm_s, cmm.grbl_motion->most_mm};
}

}  // namespace

GrblMover::GrblMover(const CmmSettings& settings, Handlers handlers)
    : settings_(settings), handlers_(std::move(handlers)) {}

void GrblMover::move(const ProbeWay& way, MonotonicNs now) {
  if (moving()) refuse_motion("a move is in progress");
  if (first_) refuse_motion("the controller has not reported its state yet");
  check_box(settings_, *settings_.grbl_motion, way.room.tip_radius_mm, "target", way.to_mm);
  way_ = way;
  contact_.reset();
  phase_ = Phase::start;
  since_ns_ = now;
  due_ = now + settings_.grbl_motion->timeout_ms * ns_per_ms;
  handlers_.poll(now);
}

void GrblMover::begin(const ProbePoint& sample, MonotonicNs now) {
  if (sample.state != ProbeState::ok) return end("no good position to start from: " + sample.detail, now);
  if (state_ != "Idle") return end("the controller is in state " + state_ + ", not Idle", now);
  const ProbeMotionSettings& motion = *settings_.grbl_motion;
  std::string command;
  try {
    check_move(settings_, motion, sample.position_mm, way_);
    if (way_.until_contact) check_touch(way_.room, sample.position_mm, way_.to_mm);
    probing_ = !touches_;
    const MotionSettings limits = settings_of(
        settings_, way_.until_contact || touches_ ? motion.probing_speed_mm_s : motion.speed_mm_s);
    command = probing_ ? grbl_move_until_contact(settings_, limits, sample.position_mm, way_.to_mm)
                       : grbl_move_back(settings_, limits, sample.position_mm, way_.to_mm);
  } catch (const RefusedError& refused) {
    return end(refused.what(), now);
  }
  if (command.empty()) return end(way_.until_contact ? "the way is shorter than a step" : "", now);
  handlers_.note("moves: " + command.substr(0, command.size() - 1));
  phase_ = Phase::sent;
  handlers_.send(command);
}

void GrblMover::heard(std::string_view line, MonotonicNs now) {
  if (line.starts_with("<")) {
    const auto end = line.find_first_of("|>");
    state_ = std::string(line.substr(1, end == std::string_view::npos ? end : end - 1));
    return;
  }
  if (line.starts_with("Grbl ")) {
    foreign_ = 0;
    touches_ = false;
    if (moving()) end(phase_ == Phase::stopping ? why_ : "the controller was reset", now);
    return;
  }
  if (line.starts_with("ALARM:")) {
    if (moving()) end(std::string(line) + " was raised; home the machine, or free it by hand", now);
    return;
  }
  const bool refused = line.starts_with("error:");
  if (line == "ok" || refused) {
    if (foreign_ > 0) {
      --foreign_;
    } else if (phase_ == Phase::sent || phase_ == Phase::draining) {
      refused ? end("the controller does not take the move: " + std::string(line), now) : acknowledged(now);
    }
    return;
  }
  if (phase_ == Phase::sent && probing_ && line.starts_with("[PRB:") && line.size() > 3)
    contact_ = line.substr(line.size() - 3) == ":1]";
}

void GrblMover::acknowledged(MonotonicNs now) {
  if (phase_ == Phase::sent && !probing_) {  // queued, not done: a dwell is acknowledged behind it
    phase_ = Phase::draining;
    return handlers_.send("G4 P0.01\n");
  }
  phase_ = Phase::arrival;
  since_ns_ = now;
  handlers_.poll(now);
}

void GrblMover::position(const ProbePoint& sample, MonotonicNs now) {
  if (first_ && !state_.empty()) {
    first_ = false;
    if (state_ != "Idle" && state_ != "Alarm" && !state_.starts_with("Home") && state_ != "Check") {
      handlers_.note("the machine moves and no move was asked for (" + state_ + "): it is stopped");
      why_ = "stopped at the start";
      hold(now);
    }
  }
  if (sample.poll_sent_ns < since_ns_) return;
  if (phase_ == Phase::start) return begin(sample, now);
  if (phase_ == Phase::arrival) return arrive(sample, now);
  if (phase_ == Phase::stopping && !reset_sent_ && (state_ == "Hold:0" || state_ == "Idle")) soft_reset(now);
}

void GrblMover::arrive(const ProbePoint& sample, MonotonicNs now) {
  if (state_ == "Run" || state_.starts_with("Hold:")) return handlers_.poll(now + 1);  // still on its way
  if (sample.state != ProbeState::ok) return end("where it ended is not known: " + sample.detail, now);
  touches_ = probing_ && contact_ == true;
  const auto& at = sample.position_mm;
  const std::string place = fmt::format("{:.3f} {:.3f} {:.3f} mm", at[0], at[1], at[2]);
  if (way_.until_contact) {
    if (!contact_) return end("the controller reports no end of the probe's way", now);
    return end(*contact_ ? "" : "nothing was touched up to " + place, now);
  }
  if (contact_ == true) return end("a contact on a free way, at " + place, now);
  const double off_um = 1000 * way_length_mm(at, way_.to_mm);
  if (off_um <= settings_.grbl_motion->arrival_um) return end("", now);
  end(fmt::format("it ended {:.0f} um from its target; allowed: {} um", off_um,
                  settings_.grbl_motion->arrival_um),
      now);
}

void GrblMover::stop(const std::string& why, MonotonicNs now) {
  if (!moving() || phase_ == Phase::stopping) return;
  if (phase_ == Phase::start) return end(why, now);
  why_ = why;
  hold(now);
}

void GrblMover::hold(MonotonicNs now) {
  phase_ = Phase::stopping;
  reset_sent_ = false;
  since_ns_ = now;
  due_ = now + hold_ms * ns_per_ms;
  handlers_.note("stops: feed hold");
  handlers_.send("!");
  handlers_.poll(now);
}

void GrblMover::soft_reset(MonotonicNs now) {
  reset_sent_ = true;
  due_ = now + hold_ms * ns_per_ms;
  handlers_.send("\x18");
}

void GrblMover::on_deadline(MonotonicNs now) {
  if (!due_ || now < *due_) return;
  if (phase_ == Phase::stopping)
    return reset_sent_ ? end(why_ + "; the controller does not answer the stop", now) : soft_reset(now);
  const std::string late = fmt::format("it lasts longer than {} ms", settings_.grbl_motion->timeout_ms);
  phase_ == Phase::start
      ? end("no position to start from within " + fmt::format("{} ms", settings_.grbl_motion->timeout_ms),
            now)
      : stop(late, now);
}

void GrblMover::opened() {
  first_ = true;
  state_.clear();
  foreign_ = 0;
}

void GrblMover::lost(const std::string& why, MonotonicNs now) {
  first_ = true;
  if (moving()) end("the link was lost: " + why, now);
}

void GrblMover::end(const std::string& why, MonotonicNs now) {
  const bool asked = phase_ != Phase::stopping || why_ != "stopped at the start";
  phase_ = Phase::idle;
  due_.reset();
  if (!why.empty()) handlers_.note("the move ended: " + why);
  if (asked && moved_) moved_(why, now);
}

}  // namespace datum
