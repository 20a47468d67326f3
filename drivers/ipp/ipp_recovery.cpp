// The session's reaction to errors: severity 2 and more stops it; it recovers once, then an operator must
// act.
#include <fmt/format.h>

#include <utility>

#include "drivers/ipp/ipp_client.h"

namespace datum {
namespace {

constexpr std::size_t most_notes = 64;
// The server could not parse a line, which it will therefore not acknowledge.
constexpr int last_line_code = 8;
constexpr int session_exists[] = {8, 507};  // the standard defines 0008; one server sends 0507

}  // namespace

bool IppClient::tolerated(const IppError& e, const IppTransaction& of) const {
  if (e.severity >= IppError::fatal) return false;
  if (of.purpose == first_abort || of.purpose == first_clear) return true;  // no session existed
  if (closing_ && of.purpose == clear_errors) return true;
  // A machine refuses unsupported properties in various ways.
  if (of.purpose == demand && e.severity <= IppError::stopping)
    return motion_ && !motion_->demands.empty() && motion_->demands.front().optional;
  if (of.purpose == end_session) return true;  // no session was left to end
  if (of.purpose == start_session) return e.code == session_exists[0] || e.code == session_exists[1];
  return of.purpose == extended_status && state_ == State::recovering;  // it may need clearing first
}

void IppClient::take_error(const IppError& e, const IppTransaction* of, MonotonicNs now) {
  ++errors_;
  if (of && tolerated(e, *of)) {
    clearing_ = clearing_ || (of->purpose == demand && e.severity >= IppError::stopping);
    return;
  }
  note(datum::describe(e));
  if (e.severity < IppError::stopping) {
    // A warning invalidates nothing: the transaction's data decide.
    if (Answer* answer = of ? answer_of(*of) : nullptr) {
      answer->stopped = false;
      answer->warned = true;
    }
    return;
  }
  if (!of && e.code <= last_line_code) channel_.drop_unacknowledged();
  // The move's own transaction ends by itself; under any other the machine may continue.
  if (!of || of->purpose != motion) abort_move(datum::describe(e), now);
  stop(e, now);
}

void IppClient::stop(const IppError& e, MonotonicNs now) {
  if (!session_) {
    lost_ = "no session: " + datum::describe(e);
    return;
  }
  if (state_ == State::fault || closing_) return;
  const bool worse = !stopping_ || e.severity > stopping_->severity;
  if (worse) stopping_ = e;
  // A running transaction ends first; its '%' follows the error.
  if (!running() || !channel_.busy(script_[step_])) recover(now);
}

void IppClient::recover(MonotonicNs now) {
  const IppError e = *std::exchange(stopping_, std::nullopt);
  const std::string why = datum::describe(e);
  script_.clear();
  step_ = 0;
  context_why_ = "after " + why;
  settled_.reset();
  if (motion_) end_move(motion_->why.empty() ? why : motion_->why + "; " + why);
  settle_all(ProbeState::device_error, why);
  if (closing_) return leave(true, now);
  if (!session_) {
    lost_ = "no session: " + why;
    return;
  }
  if (e.severity >= IppError::fatal || (recovered_ && !aborting_)) return enter_fault(why, now);
  emit(ProbeState::device_error, why, now);
  recovered_ = true;
  state_ = State::recovering;
  // After AbortE only ClearAllErrors is accepted (6.3.1.5); otherwise the status is read before it is
  // cleared.
  std::vector<Step> script{extended_status, clear_errors};
  if (aborting_) script = {clear_errors, extended_status};
  script.insert(script.end(), {error_status, report_content, homed, coordinate_system, transformation, tool});
  run(std::move(script), now);
}

void IppClient::enter_fault(const std::string& why, MonotonicNs now) {
  state_ = State::fault;
  fault_why_ =
      why + (extended_.empty() ? "" : "; the machine's status: " + extended_) +
      "; remove the cause at the machine, then DIAGnostic:POSition:REFerenced, or clear its errors there";
  note("stopped: " + fault_why_);
  next_poll_ns_ = now + settings_.poll.period_ms * ns_per_ms;
  emit(ProbeState::device_error, fault_why_, now);
}

/// The machine's own report of its state.
void IppClient::watchdog_answered(const Answer& answer, MonotonicNs now) {
  if (answer.stopped || answer.data.empty()) return;
  const auto set = number_of(read_ipp_values(answer.data.front()).values, "ErrStatus");
  if (state_ == State::fault && set && *set == 0 && !running()) {
    state_ = State::recovering;
    return run({report_content, homed, coordinate_system, transformation, tool}, now);
  }
  if (state_ == State::ready && !clearing_ && !closing_ && (!set || *set != 0))
    stop({IppError::stopping, 0, "GetErrStatusE()", "the machine's error status is set"}, now);
}

void IppClient::confirm() {
  if (context_.transformation) confirmed_ = context_.transformation;
  mended_ = state_ == State::fault;
}

void IppClient::stay_in_fault(MonotonicNs now) {
  next_poll_ns_ = now + settings_.poll.period_ms * ns_per_ms;
  if (!std::exchange(mended_, false)) return emit(ProbeState::device_error, fault_why_, now);
  recovered_ = false;
  stopping_ = IppError{IppError::stopping, 514, "", "an operator confirms that the cause is removed"};
  recover(now);
}

/// Reports a repeating note once.
void IppClient::note(const std::string& text) {
  if (text == last_note_) return;
  last_note_ = text;
  if (notes_.size() < most_notes) notes_.push_back(text);
}

std::vector<std::string> IppClient::take_notes() { return std::exchange(notes_, {}); }

}  // namespace datum
