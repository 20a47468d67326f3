// A move of the probe: its start is read, its properties are set and read back, and its end is read back. Any
// fault stops the machine.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "drivers/ipp/ipp_client.h"
#include "drivers/ipp/ipp_motion.h"

namespace datum {

void IppClient::move(const ProbeWay& way, MonotonicNs now) {
  const auto refuse = [](const std::string& why) { throw RefusedError("probe motion: " + why); };
  if (!settings_.ipp.motion) check_move(settings_, way.to_mm, way);  // throws the reason
  if (closing_) refuse("datumd ends");
  if (motion_) refuse("a move is in progress");
  if (state_ != State::ready) refuse("the session is not ready: " + describe());
  if (!context_why_.empty()) refuse(context_why_);
  check_box(settings_, way.room.tip_radius_mm, "target", way.to_mm);
  moved_.reset();
  motion_ = Motion{};
  motion_->way = way;
  if (!running()) begin_move(now);
}

void IppClient::begin_move(MonotonicNs now) {
  settled_.reset();
  run({position, homed, coordinate_system, transformation, tool, demand, Step::motion, position, homed,
       coordinate_system, transformation, tool},
      now);
}

/// False: the move is cancelled.
bool IppClient::prepare_step(Step step, MonotonicNs now) {
  Motion& m = *motion_;
  while (step == demand && m.why.empty() && m.demands.empty() && m.phase != Motion::Phase::ready) {
    try {
      next_phase();
    } catch (const RefusedError& refused) {
      m.why = refused.what();
    }
  }
  if (!m.why.empty()) return false;
  if (step != Step::motion) return true;
  m.sent = true;
  m.due_ns = now + settings_.ipp.motion->timeout_ms * ns_per_ms;
  note("moves: " + command_of(step));
  return true;
}

void IppClient::next_phase() {
  Motion& m = *motion_;
  using Phase = Motion::Phase;
  if (m.phase == Phase::start) {
    if (!settled_ || settled_->state != ProbeState::ok)
      throw RefusedError("no good position to start from" + (settled_ ? ": " + settled_->detail : ""));
    m.from_mm = settled_->position_mm;
    check_move(settings_, m.from_mm, m.way);
    m.phase = Phase::limits;
    if (limits_)
      m.limits = *limits_;
    else
      demand_limits();
  } else if (m.phase == Phase::limits) {
    limits_ = m.limits;
    m.phase = Phase::values;
    demand_values();
  } else {
    m.phase = Phase::ready;
    if (m.way.until_contact) {
      m.touch = touch_way(settings_, m.limits, m.told, m.from_mm, m.way);
      note("touches: " + words_of(m.told, m.touch));
    } else {
      check_speed(m.told.travel_speed, settings_.ipp.motion->speed_mm_s, "speed_mm_per_s");
    }
  }
}

void IppClient::demand_limits() {
  IppLimits& limits = motion_->limits;
  read_range("Tool.GoToPar.Speed", limits.travel_speed);
  read_range("Tool.PtMeasPar.Speed", limits.probing_speed);
  read_range("Tool.PtMeasPar.Approach", limits.approach);
  read_range("Tool.PtMeasPar.Search", limits.search);
  read_range("Tool.PtMeasPar.Retract", limits.retract);
  read_optional("Part.Approach", limits.part_approach);
  read_optional("Part.Search", limits.part_search);
  read_optional("Part.Retract", limits.part_retract);
  read_optional("Tool.Radius", limits.tool_radius);
}

void IppClient::demand_values() {
  Motion& m = *motion_;
  if (!m.way.until_contact) {
    const double speed =
        speed_within(m.limits.travel_speed, settings_.ipp.motion->speed_mm_s, "speed_mm_per_s");
    return set_and_read("Tool.GoToPar.Speed", speed, m.told.travel_speed);
  }
  const IppTouch t = plan_touch(settings_, m.limits, m.from_mm, m.way);
  set_and_read("Tool.GoToPar.Speed", t.travel_speed, m.told.travel_speed);
  set_and_read("Tool.PtMeasPar.Speed", t.probing_speed, m.told.probing_speed);
  set_and_read("Tool.PtMeasPar.Approach", t.approach, m.told.approach);
  set_and_read("Tool.PtMeasPar.Search", t.search, m.told.search);
  set_and_read("Tool.PtMeasPar.Retract", t.retract, m.told.retract);
  // An operator at the machine may have changed them.
  if (m.limits.part_approach) read_optional("Part.Approach", m.limits.part_approach);
  if (m.limits.part_search) read_optional("Part.Search", m.limits.part_search);
  if (m.limits.part_retract) read_optional("Part.Retract", m.limits.part_retract);
  if (m.limits.tool_radius) read_optional("Tool.Radius", m.limits.tool_radius);
}

void IppClient::set_and_read(const char* property, double wanted, double& told) {
  motion_->demands.push_back({fmt::format("SetProp({}({:.10g}))", property, wanted)});
  motion_->demands.push_back({fmt::format("GetProp({}())", property), property,
                              [&told](std::optional<double> value) { told = value.value_or(NAN); }});
}

void IppClient::read_range(const std::string& property, IppRange& range) {
  const auto read = [&](const char* end, double& limit) {
    motion_->demands.push_back({"GetProp(" + property + end + "())", property + end,
                                [&limit](std::optional<double> value) { limit = value.value_or(limit); },
                                true});
  };
  read(".Min", range.min);
  read(".Max", range.max);
}

void IppClient::read_optional(const char* property, std::optional<double>& value) {
  motion_->demands.push_back({fmt::format("GetProp({}())", property), property,
                              [&value](std::optional<double> told) { value = told; }, true});
}

/// The first of the demands was answered.
void IppClient::demand_done(const Answer& answer, const IppTransaction& t) {
  Motion& m = *motion_;
  const Demand d = std::move(m.demands.front());
  m.demands.pop_front();
  if (d.command == "ClearAllErrors()") clearing_ = false;
  const bool unknown = d.optional && (answer.stopped || answer.data.empty());
  if (unknown) {
    note("the machine does not report " + d.property);
    d.take(std::nullopt);
    if (answer.stopped) m.demands.push_front({"ClearAllErrors()"});
    return;
  }
  if (answer.stopped || t.spoiled) {
    m.why = "the machine does not take " + t.command;
    return;
  }
  if (d.property.empty()) return;  // the accepted value is read back
  const auto number = answer.data.size() == 1 ? property_of(answer.data.front(), d.property) : std::nullopt;
  if (!number) m.why = fmt::format("the answer to {} is no number", t.command);
  if (number) d.take(number);
}

void IppClient::move_step_done(Step step, const Answer& answer, const IppTransaction& t, MonotonicNs) {
  if (step == demand) return demand_done(answer, t);
  Motion& m = *motion_;
  m.ended = true;
  if (m.why.empty() && (answer.stopped || t.spoiled)) m.why = "the move failed";
  if (!m.way.until_contact || !m.why.empty()) return;
  const IppReading reading = read_ipp_values(answer.data.size() == 1 ? answer.data.front() : "");
  const ProbePoint touch = touch_of(reading.values);
  m.contact_mm = touch.position_mm;
  if (!reading.why.empty() || touch.state == ProbeState::malformed)
    m.why = "the machine reports no touch";
  else
    hold(touch, true, answer.first_byte_ns, answer.last_byte_ns, t.sent_ns);
}

/// Evaluates position and context after the move, or after its cancellation.
void IppClient::look_at_arrival() {
  const Motion& m = *motion_;
  if (!m.why.empty() || !m.ended) return end_move(m.why.empty() ? "it did not take place" : m.why);
  if (!settled_ || settled_->state != ProbeState::ok)
    return end_move("where it ended is not known" + (settled_ ? ": " + settled_->detail : ""));
  const auto& at = settled_->position_mm;
  if (m.way.until_contact)
    return end_move(rests_elsewhere(settings_, m.limits, m.told, m.touch, m.contact_mm, at));
  const double off_um =
      1000 * std::hypot(at[0] - m.way.to_mm[0], at[1] - m.way.to_mm[1], at[2] - m.way.to_mm[2]);
  if (off_um <= settings_.ipp.motion->arrival_um) return end_move("");
  end_move(fmt::format("it ended {:.0f} um from its target; allowed: {} um", off_um,
                       settings_.ipp.motion->arrival_um));
}

void IppClient::end_move(const std::string& why) {
  if (!why.empty()) note("the move ended: " + why);
  motion_.reset();
  clearing_ = false;
  moved_ = why;
}

void IppClient::abort_move(const std::string& why, MonotonicNs) {
  if (!motion_ || !motion_->why.empty()) return;
  motion_->why = why;
  if (!motion_->sent || motion_->ended) return;
  aborting_ = true;
  channel_.ask(command_of(abortion), abortion, true);
}

/// No transaction is running, and only ClearAllErrors is accepted.
void IppClient::aborted(MonotonicNs now) {
  if (motion_) {
    channel_.abandon();
    stopping_ = IppError{IppError::stopping, 6, "AbortE()", "the machine was stopped"};
    recover(now);  // unless the move's own error came first
  }
  aborting_ = false;
}

void IppClient::close(MonotonicNs now) {
  if (closing_) return;
  closing_ = true;
  const bool moves = motion_ && motion_->sent && !motion_->ended;
  if (moves) return abort_move("datumd ends", now);
  if (aborting_) return;
  if (motion_) end_move("datumd ends");
  leave(false, now);
}

void IppClient::leave(bool after_errors, MonotonicNs now) {
  run(after_errors ? std::vector<Step>{clear_errors, end_session} : std::vector<Step>{end_session}, now);
}

std::optional<std::string> IppClient::take_moved() { return std::exchange(moved_, std::nullopt); }

std::string IppClient::farewell(const std::string& why) {
  const bool stops = under_way();
  aborting_ = false;
  if (motion_) end_move(why);
  return stops ? "E9999 AbortE()\r\n" : "";
}

}  // namespace datum
