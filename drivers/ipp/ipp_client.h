// IppClient: one session of I++ DME, from StartSession to valid positions. No I/O, no clock.
//
//   STARTING -session, machine, tool, coordinate system-> READY -poll: position, then its context-> READY
//   an error of severity 2 or more -> RECOVERING: status, ClearAllErrors, all read again -> READY
//   move(): position and context read, the machine's limits read, properties set and read back, GoTo or PtMeas, position
//           and context read again -> READY
//   AbortE: nothing else until its '%', then ClearAllErrors and all read again (6.3.1.5, 6.2.5) -> READY
//   close(): motion is stopped, then EndSession
//   the next such error before a good position, or a fatal one -> FAULT, until the machine reports itself well
//
// Where the machine may move, each session begins with AbortE: an earlier daemon may have left it moving.
// A position or touch is good where tool, coordinate system, transformation and homing met the cell's demands
// both at the last reading before it and at the first one after it. Transactions: I++ DME 1.4.3, chapters 4
// to 6.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drivers/cmm/settings.h"
#include "drivers/ipp/ipp_channel.h"
#include "drivers/ipp/ipp_context.h"
#include "drivers/ipp/ipp_error.h"
#include "drivers/ipp/ipp_touch.h"
#include "drivers/ipp/ipp_value.h"

namespace datum {

class IppClient {
 public:
  /// Throws RefusedError as check() does.
  explicit IppClient(const CmmSettings& settings);

  /// The link was opened: starts a session. An operator's confirmation is kept.
  void opened(MonotonicNs now);
  void receive(const std::uint8_t* bytes, std::size_t size, MonotonicNs now);
  /// Bytes to send now.
  std::string take_output(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

  /// Positions, or reasons why there is none, in order.
  std::optional<ProbePoint> next();
  /// Unsolicited PtMeas: touches, or reasons why one is not usable.
  std::optional<ProbePoint> next_touch();
  /// Changes of context and errors, each once, for the log.
  std::vector<std::string> take_notes();

  /// Requests a position. No effect where none is available yet.
  void poll_soon(MonotonicNs now);
  /// An operator confirms the current transformation, and that a fault is repaired.
  void confirm();

  /// Moves the probe, as ProbeMover's: the start is read before, the end after. Throws RefusedError.
  void move(const ProbeWay& way, MonotonicNs now);
  /// Stops a move in progress for this reason.
  void abort_move(const std::string& why, MonotonicNs now);
  bool moving() const { return motion_.has_value(); }
  /// A move was sent and its end is unknown: the machine must be stopped before the link ends.
  bool under_way() const { return aborting_ || (motion_ && motion_->sent && !motion_->ended); }
  /// Stops motion and ends the session. closed(): both are done, or the link was lost.
  void close(MonotonicNs now);
  bool closed() const { return closed_; }
  /// Result of the last move, once: empty if good.
  std::optional<std::string> take_moved();
  /// The link is lost or being given up: bytes sent nevertheless as a last attempt to stop; empty: none.
  std::string farewell(const std::string& why);

  /// Why the link must be closed and opened again; empty: no need.
  const std::string& lost() const { return lost_; }
  bool ready() const { return state_ == State::ready; }
  /// "READY, DME 1.4, CartCMM, tool Probe1, MachineCsy", for status.
  std::string describe() const;

 private:
  enum class State { starting, ready, recovering, fault };
  enum Step : int {
    first_abort,  // of a session
    first_clear,
    end_session,
    start_session,
    version,
    machine_class,
    report_content,
    extended_status,
    clear_errors,
    error_status,
    homed,
    coordinate_system,
    transformation,
    tool,
    move_reports,
    position,
    demand,    // of a move: a limit, a property being set or read back
    motion,    // the move itself
    watchdog,  // beside the script
    abortion,  // beside the script
  };
  struct Answer {
    std::vector<std::string> data;
    bool stopped = false;   // by an error
    bool warned = false;    // by an error that does not stop the script
    bool too_long = false;  // the answer exceeds the length of any valid one
    MonotonicNs first_byte_ns = 0, last_byte_ns = 0;
  };
  struct Pending {  // until the following context is known
    ProbePoint point;
    bool touch = false;
    std::string before;  // why the context before it was not good
  };

  struct Demand {
    std::string command;
    std::string property{};  // property of the expected number; empty: no data are expected
    std::function<void(std::optional<double>)> take{};
    bool optional = false;  // the machine may lack it
  };
  struct Motion {
    enum class Phase { start, limits, values, ready };
    ProbeWay way;
    std::array<double, 3> from_mm{}, contact_mm{};
    Phase phase = Phase::start;
    std::deque<Demand> demands{};  // the first has been sent
    IppLimits limits{};            // as received
    IppTouch told{};               // read back
    IppTouchWay touch{};
    bool sent = false;   // the machine may be moving
    bool ended = false;  // it has stopped; position and context are read back
    MonotonicNs due_ns = 0;
    std::string why{};  // why it is no longer valid
  };

  // a move
  void begin_move(MonotonicNs now);
  bool prepare_step(Step step, MonotonicNs now);
  void next_phase();
  void demand_limits();
  void demand_values();
  void set_and_read(const char* property, double wanted, double& told);
  void read_range(const std::string& property, IppRange& range);
  void read_optional(const char* property, std::optional<double>& value);
  void demand_done(const Answer& answer, const IppTransaction& t);
  void aborted(MonotonicNs now);
  void leave(bool after_errors, MonotonicNs now);
  void move_step_done(Step step, const Answer& answer, const IppTransaction& t, MonotonicNs now);
  void look_at_arrival();
  void end_move(const std::string& why);

  // the script
  void run(std::vector<Step> script, MonotonicNs now);
  void ask_next(MonotonicNs now);
  std::string command_of(Step step) const;
  void finish_step(const IppTransaction& t, MonotonicNs now);
  void script_ended(MonotonicNs now);
  void begin_round(MonotonicNs now);
  bool running() const { return step_ < script_.size(); }

  // lines
  void take(const IppLine& line, MonotonicNs now);
  Answer* answer_of(const IppTransaction& t);
  void take_data(const IppTransaction& t, const IppLine& line);
  void take_unsolicited(const IppLine& line, MonotonicNs now);
  std::string read(Step step, const Answer& answer, const IppTransaction& t);
  std::string read_transformation(const std::vector<IppValue>& values);
  void read_position(const Answer& answer, const IppTransaction& t);
  void watchdog_answered(const Answer& answer, MonotonicNs now);

  // positions
  ProbePoint point_of(const std::vector<IppValue>& values) const;
  static ProbePoint point_of(const std::vector<IppValue>& values, const CmmSettings& settings);
  ProbePoint touch_of(const std::vector<IppValue>& values) const;
  void hold(ProbePoint point, bool touch, MonotonicNs first, MonotonicNs last, MonotonicNs sent);
  void settle_context();
  void settle(Pending pending, ProbeState state, const std::string& why);
  void settle_all(ProbeState state, const std::string& why);
  void emit(ProbeState state, const std::string& detail, MonotonicNs now);
  void deliver(ProbePoint point, bool touch);

  // errors
  void take_error(const IppError& error, const IppTransaction* of, MonotonicNs now);
  bool tolerated(const IppError& error, const IppTransaction& of) const;
  void stop(const IppError& error, MonotonicNs now);
  void recover(MonotonicNs now);
  void enter_fault(const std::string& why, MonotonicNs now);
  void stay_in_fault(MonotonicNs now);
  void note(const std::string& text);

  CmmSettings settings_;
  IppFramer framer_;
  IppChannel channel_;
  State state_ = State::starting;
  std::vector<Step> script_;
  std::size_t step_ = 0;
  MonotonicNs asked_ns_ = 0;
  bool told_late_ = false;  // the step's late answer was reported
  Answer answer_, watchdog_answer_;
  MonotonicNs next_poll_ns_ = 0, next_watchdog_ns_ = 0;
  std::string lost_;

  std::string version_, class_;
  IppContext context_, reading_;
  std::string context_why_ = "not read yet", reading_why_;
  bool disturbed_ = false;  // a tool or coordinate system changed while the context was read
  std::string noted_context_;
  std::optional<IppTransformation> confirmed_;
  bool session_ = false;

  std::deque<Pending> pending_;
  std::size_t covered_ = 0;  // number of them before the context reading in progress
  std::deque<ProbePoint> samples_, touches_;
  std::uint64_t sequence_ = 0;

  std::optional<IppError> stopping_;
  bool recovered_ = false;  // once, since the last good position
  bool mended_ = false;     // in a fault: confirmed by an operator
  std::string fault_why_, extended_;
  std::optional<Motion> motion_;
  std::optional<IppLimits> limits_;  // of the active tool, in this session
  bool aborting_ = false;            // AbortE was requested and is not complete
  bool clearing_ = false;            // the machine lacks a property: its error is being cleared
  bool closing_ = false, closed_ = false;
  bool first_refused_ = false;  // AbortE before the session: repeated in it
  std::optional<std::string> moved_;
  std::optional<ProbePoint> settled_;  // the last position with known context
  std::vector<std::string> notes_;
  std::string last_note_;  // since the last good position
  std::uint64_t errors_ = 0, strays_ = 0;
};

}  // namespace datum
