// The session's script: requests, their order and their timeouts.
#include "drivers/ipp/ipp_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/ipp/ipp_motion.h"

namespace datum {
namespace {

/// A transaction not complete after two watchdog periods: half-open TCP, or a hung controller.
MonotonicNs timeout_ns(const CmmSettings& settings) { return 2 * ns_per_ms * settings.ipp.watchdog_ms; }

}  // namespace

IppClient::IppClient(const CmmSettings& settings) : settings_((check(settings), settings)) {}

void IppClient::opened(MonotonicNs now) {
  framer_.reset();
  channel_.reset();
  pending_.clear();
  samples_.clear();
  touches_.clear();
  lost_.clear();
  stopping_.reset();
  settled_.reset();
  if (motion_) end_move("the session was lost during the move");
  recovered_ = session_ = mended_ = aborting_ = false;
  limits_.reset();
  context_why_ = "tool and coordinate system are not read yet";
  sequence_ = 0;
  state_ = State::starting;
  next_watchdog_ns_ = now + settings_.ipp.watchdog_ms * ns_per_ms;
  std::vector<Step> script;
  if (settings_.ipp.motion) script = {first_abort, first_clear};
  script.insert(script.end(), {end_session, start_session, version, machine_class, report_content,
                               extended_status, homed, coordinate_system, transformation, tool});
  if (settings_.ipp.move_report_s) script.push_back(move_reports);
  run(std::move(script), now);
}

void IppClient::run(std::vector<Step> script, MonotonicNs now) {
  script_ = std::move(script);
  step_ = 0;
  ask_next(now);
}

void IppClient::ask_next(MonotonicNs now) {
  // MachineCsy is the reference of all others.
  if (running() && script_[step_] == transformation && reading_.coordinate_system == "MachineCsy") ++step_;
  if (!running()) return script_ended(now);
  const Step step = script_[step_];
  if ((step == demand || step == motion) && !prepare_step(step, now)) return script_ended(now);
  if (step == demand && motion_->demands.empty()) {
    ++step_;
    return ask_next(now);
  }
  if (step == homed) {
    reading_ = {};
    reading_why_.clear();
    disturbed_ = false;
    covered_ = pending_.size();
  }
  asked_ns_ = now;
  told_late_ = false;
  answer_ = {};
  channel_.ask(command_of(step), step, step == first_abort || step == error_status || step == move_reports,
               step == move_reports);
}

namespace {

/// ", Tool.A(), Tool.B()": angles of the head in the same answer as the position.
std::string head_words(const CmmSettings& settings) {
  std::string words;
  for (const AxisSettings& axis : settings.axes)
    if (axis.turns_head()) words += ", " + axis.label + "()";
  return words;
}

}  // namespace

std::string IppClient::command_of(Step step) const {
  switch (step) {
    case first_abort:
    case abortion:
      return "AbortE()";
    case first_clear:
    case clear_errors:
      return "ClearAllErrors()";
    case end_session:
      return "EndSession()";
    case start_session:
      return "StartSession()";
    case version:
      return "GetDMEVersion()";
    case machine_class:
      return "GetMachineClass()";
    case report_content:
      return "OnPtMeasReport(X(), Y(), Z())";
    case extended_status:
      return "GetXtdErrStatus()";
    case error_status:
    case watchdog:
      return "GetErrStatusE()";
    case homed:
      return "IsHomed()";
    case coordinate_system:
      return "GetCoordSystem()";
    case transformation:
      return "GetCsyTransformation(" + reading_.coordinate_system + ")";
    case tool:
      return "GetProp(Tool.Name())";
    case move_reports:
      return fmt::format("OnMoveReportE(Time({}), Dis({}), X(), Y(), Z(){})", *settings_.ipp.move_report_s,
                         settings_.ipp.move_report_mm, head_words(settings_));
    case position:
      return "Get(X(), Y(), Z()" + head_words(settings_) + ")";
    case demand:
      return motion_->demands.front().command;
    case motion:
      return motion_->way.until_contact ? touch_command(settings_, motion_->touch)
                                        : go_to_command(settings_, motion_->way.to_mm);
  }
  return "";
}

void IppClient::begin_round(MonotonicNs now) {
  next_poll_ns_ = now + settings_.poll.period_ms * ns_per_ms;
  run({position, homed, coordinate_system, transformation, tool}, now);
}

void IppClient::script_ended(MonotonicNs now) {
  script_.clear();
  step_ = 0;
  closed_ = closing_;
  if (closing_) return;
  if (motion_ && state_ == State::ready) {
    const bool waits = motion_->phase == Motion::Phase::start && motion_->why.empty();
    if (waits) return begin_move(now);
    look_at_arrival();
  }
  if (state_ == State::ready) return;
  state_ = State::ready;
  next_poll_ns_ = now;
}

void IppClient::finish_step(const IppTransaction& t, MonotonicNs now) {
  const Step step = script_[step_];
  const Answer answer = std::exchange(answer_, {});
  if (step == demand || step == motion) move_step_done(step, answer, t, now);
  if (stopping_) return recover(now);
  if (step == first_abort) first_refused_ = answer.stopped;
  if (step == start_session) {
    session_ = true;
    if (std::exchange(first_refused_, false))
      script_.insert(script_.begin() + static_cast<std::ptrdiff_t>(step_) + 1, {first_abort, first_clear});
  }
  std::string why = t.spoiled ? "its lines came in an order that I++ DME does not have" : "";
  if (answer.too_long) why = "it is longer than any answer is";
  if (why.empty() && !answer.stopped) why = read(step, answer, t);
  if (!why.empty()) {
    why = fmt::format("answer to {}: {}", t.command, why);
    note(why);
    if (step == position) emit(ProbeState::malformed, why, now);
    if (step >= homed && step <= tool && reading_why_.empty()) reading_why_ = why;
    if (step == coordinate_system)
      step_ = script_.size() - 1;  // without a coordinate system there is no transformation to request
  }
  if (stopping_) return recover(now);  // the error status is still set
  if (step == tool || (step == coordinate_system && !why.empty())) settle_context();
  if (!running()) return;
  if (step != demand) ++step_;  // a move's demand step ends after its last demand
  ask_next(now);
}

void IppClient::poll_soon(MonotonicNs now) {
  if (state_ != State::ready || closing_) return;
  next_poll_ns_ = now;
  if (!running()) begin_round(now);
}

std::string IppClient::take_output(MonotonicNs now) {
  std::string bytes;
  while (const auto line = channel_.next_line(now)) bytes += *line;
  return bytes;
}

std::optional<MonotonicNs> IppClient::deadline() const {
  std::optional<MonotonicNs> first;
  const auto sooner = [&first](MonotonicNs at) { first = std::min(first.value_or(at), at); };
  if (const auto oldest = channel_.oldest_sent_ns(motion)) sooner(*oldest + timeout_ns(settings_));
  if (motion_ && motion_->sent && !motion_->ended && motion_->why.empty()) sooner(motion_->due_ns);
  if (running() && !told_late_ && script_[step_] != motion)
    sooner(asked_ns_ + settings_.poll.timeout_ms * ns_per_ms);
  if (!closing_ && (!running() || state_ == State::fault)) sooner(next_poll_ns_);
  if (session_ && !closing_ && !channel_.busy(watchdog)) sooner(next_watchdog_ns_);
  return first;
}

void IppClient::on_deadline(MonotonicNs now) {
  if (const auto oldest = channel_.oldest_sent_ns(motion); oldest && now >= *oldest + timeout_ns(settings_)) {
    lost_ = fmt::format("no answer for {} ms{}", timeout_ns(settings_) / ns_per_ms,
                        running() ? fmt::format(" to {}", command_of(script_[step_])) : "");
    return;
  }
  if (session_ && !closing_ && !channel_.busy(watchdog) && now >= next_watchdog_ns_) {
    next_watchdog_ns_ = now + settings_.ipp.watchdog_ms * ns_per_ms;
    watchdog_answer_ = {};
    channel_.ask(command_of(watchdog), watchdog, true);
  }
  if (motion_ && motion_->sent && !motion_->ended && motion_->why.empty() && now >= motion_->due_ns)
    abort_move(fmt::format("the move took longer than {} ms", settings_.ipp.motion->timeout_ms), now);
  if (running() && !told_late_ && script_[step_] != motion &&
      now >= asked_ns_ + settings_.poll.timeout_ms * ns_per_ms) {
    told_late_ = true;
    emit(ProbeState::stale,
         fmt::format("no answer to {} within {} ms", command_of(script_[step_]), settings_.poll.timeout_ms),
         now);
  }
  if (closing_ || now < next_poll_ns_) return;
  if (state_ == State::fault) {
    stay_in_fault(now);
  } else if (state_ == State::ready && !running()) {
    begin_round(now);
  }
}

std::string IppClient::describe() const {
  const char* states[] = {"STARTING", "READY", "RECOVERING", "FAULT"};
  std::string text = states[static_cast<int>(state_)];
  if (!version_.empty()) text += ", DME " + version_;
  if (!class_.empty()) text += ", " + class_;
  if (!noted_context_.empty()) text += ", " + noted_context_;
  if (errors_ > 0) text += fmt::format(", {} errors", errors_);
  if (strays_ > 0) text += fmt::format(", {} lines of no transaction", strays_);
  return state_ == State::fault ? text + "; " + fault_why_ : text;
}

}  // namespace datum
