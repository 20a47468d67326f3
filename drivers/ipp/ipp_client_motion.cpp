// A move of the probe: where it starts is read, what it needs is set, and where it ended is read back. Any doubt on
// the way stops the machine.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "drivers/ipp/ipp_client.h"
#include "drivers/ipp/ipp_motion.h"

namespace datum {

void IppClient::move(const std::array<double, 3>& to_mm, bool until_contact, MonotonicNs now) {
  const auto refuse = [](const std::string& why) { throw RefusedError("probe motion: " + why); };
  if (!settings_.ipp.motion) check_move(settings_, to_mm, to_mm);  // says so
  if (motion_) refuse("a move is in progress");
  if (state_ != State::ready) refuse("the session is not ready: " + describe());
  if (!context_why_.empty()) refuse(context_why_);
  check_move(settings_, to_mm, to_mm);
  moved_.reset();
  motion_ = Motion{};
  motion_->to_mm = to_mm;
  motion_->until_contact = until_contact;
  if (!running()) begin_move(now);
}

void IppClient::begin_move(MonotonicNs now) {
  settled_.reset();
  std::vector<Step> script{position, homed, coordinate_system, transformation, tool};
  const std::vector<Step> back = script;
  script.insert(script.end(), motion_->until_contact ? 3 : 1, property);
  script.push_back(Step::motion);
  script.insert(script.end(), back.begin(), back.end());
  motion_->properties = {""};  // until the start is known
  run(std::move(script), now);
}

/// False: the move does not take place.
bool IppClient::prepare_step(Step step, MonotonicNs now) {
  Motion& m = *motion_;
  if (!m.why.empty()) return false;
  if (step == property && m.properties.front().empty()) {
    if (!settled_ || settled_->state != ProbeState::ok) {
      m.why = "no good position to start from" + (settled_ ? ": " + settled_->detail : "");
      return false;
    }
    m.from_mm = settled_->position_mm;
    try {
      check_move(settings_, m.from_mm, m.to_mm);
    } catch (const RefusedError& refused) {
      m.why = refused.what();
      return false;
    }
    m.properties = move_properties(settings_, m.from_mm, m.to_mm, m.until_contact);
  }
  if (step != Step::motion) return true;
  m.sent = true;
  m.due_ns = now + settings_.ipp.motion->timeout_ms * ns_per_ms;
  note(fmt::format("moves: {}", move_command(settings_, m.from_mm, m.to_mm, m.until_contact)));
  return true;
}

void IppClient::move_step_done(Step step, const Answer& answer, const IppTransaction& t, MonotonicNs) {
  Motion& m = *motion_;
  if (step == property) {
    m.properties.erase(m.properties.begin());
    // A warning too: the machine would move in another way than it was told.
    if (answer.stopped || answer.warned) m.why = "the machine does not take " + t.command;
    return;
  }
  m.ended = true;
  if (m.why.empty() && (answer.stopped || t.spoiled)) m.why = "the move failed";
  if (!m.until_contact || !m.why.empty()) return;
  const IppReading reading = read_ipp_values(answer.data.size() == 1 ? answer.data.front() : "");
  const ProbePoint touch = point_of(reading.values);
  if (!reading.why.empty() || touch.state == ProbeState::malformed)
    m.why = "the machine tells of no touch";
  else
    hold(touch, true, answer.first_byte_ns, answer.last_byte_ns, t.sent_ns);
}

/// Position and context were read back, or the move did not take place.
void IppClient::look_at_arrival() {
  const Motion& m = *motion_;
  if (!m.why.empty() || !m.ended) return end_move(m.why.empty() ? "it did not take place" : m.why);
  if (!settled_ || settled_->state != ProbeState::ok)
    return end_move("where it ended is not known" + (settled_ ? ": " + settled_->detail : ""));
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) squares += std::pow(settled_->position_mm[i] - m.to_mm[i], 2);
  const double off_um = 1000 * std::sqrt(squares);
  if (m.until_contact || off_um <= settings_.ipp.motion->arrival_um) return end_move("");
  end_move(fmt::format("it ended {:.0f} um from its target; allowed: {} um", off_um,
                       settings_.ipp.motion->arrival_um));
}

void IppClient::end_move(const std::string& why) {
  if (!why.empty()) note("the move ended: " + why);
  motion_.reset();
  moved_ = why;
}

void IppClient::abort_move(const std::string& why, MonotonicNs) {
  if (!motion_ || !motion_->why.empty()) return;
  motion_->why = why;
  if (motion_->sent && !motion_->ended) channel_.ask(command_of(abortion), abortion, true);
}

std::optional<std::string> IppClient::take_moved() { return std::exchange(moved_, std::nullopt); }

std::string IppClient::farewell(const std::string& why) {
  if (!motion_) return "";
  const bool under_way = motion_->sent && !motion_->ended;
  end_move(why);
  return under_way ? "E9999 AbortE()\r\n" : "";
}

}  // namespace datum
