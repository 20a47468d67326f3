// Reader: maintains the three connections to a Gocator, polls its state, job and clock, and delivers its data
// sets. All times are arguments; no clock is read.
//
//   closed -> connecting (3190) -> greeting: version, states, loaded job, time -> opening (3194, 3196) -> starting -> running
//
// One request is outstanding at a time, each with a deadline. A loss or a protocol error closes all three
// connections; they are reopened with growing back-off. Data sets made meanwhile are lost.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>

#include "drivers/gocator/clock_estimate.h"
#include "drivers/gocator/control.h"
#include "drivers/gocator/data_receiver.h"
#include "drivers/gocator/health.h"
#include "drivers/gocator/message_framer.h"
#include "drivers/gocator/settings.h"
#include "drivers/port/pollable.h"
#include "drivers/port/reconnector.h"

namespace datum::gocator {

class Link final : public Pollable {
 public:
  using Ready = std::function<void(MonotonicNs now)>;
  Link(std::unique_ptr<Port> port, const LinkLimits& limits, Ready on_ready, Reconnector::OnOpen on_open,
       Reconnector::OnLoss on_loss)
      : keeper_(std::move(port), limits, std::move(on_open), std::move(on_loss)),
        on_ready_(std::move(on_ready)) {}

  bool up() const { return keeper_.is_open(); }
  /// Throws LostError.
  void send(std::span<const std::uint8_t> bytes) {
    keeper_.send({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Reconnector& keeper() { return keeper_; }
  const Reconnector& keeper() const { return keeper_; }

  // Pollable; the reader has the deadlines
  int fd() const override { return keeper_.fd(); }
  bool wants_write() const override { return keeper_.wants_write(); }
  void on_ready(MonotonicNs now) override { on_ready_(now); }
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override { return keeper_.port().describe(); }

 private:
  Reconnector keeper_;
  Ready on_ready_;
};

/// Receiver of a reader's events, called from within the reader's functions.
class Listener : public SurfaceConsumer {
 public:
  /// A complete data set, the host time of its first byte, and now.
  virtual void data_set(DataSet&& set, MonotonicNs first_byte_ns, MonotonicNs now) = 0;
  /// The loaded job, requested at or after ask_job() returned this ticket.
  virtual void job(std::uint64_t ticket, const LoadedJob& job, MonotonicNs now) = 0;
  /// The connections are closed; operations in progress have ended.
  virtual void lost(const std::string& why, MonotonicNs now) = 0;
  /// Data were lost at the sensor, it was stopped, or it refused a trigger; `why` states which.
  virtual void fault(const std::string& why) = 0;
  /// The sensor restarted its frame count: it was started, or power-cycled.
  virtual void counts_anew() = 0;
  virtual void warning(const std::string& text) = 0;
};

struct Ports {
  std::unique_ptr<Port> control, health, data;
};
Ports tcp_ports(const Settings& settings);

class Reader final : public Pollable {
 public:
  Reader(const Settings& settings, Listener& listener, Ports ports);

  void start(MonotonicNs now);
  /// Requests the loaded job again; the answer has this ticket or a later one.
  std::uint64_t ask_job(MonotonicNs now);
  /// Sends Trigger after the current request; a refusal is a fault.
  void trigger(MonotonicNs now);
  /// Time of the last Trigger.
  std::optional<MonotonicNs> triggered_ns() const { return triggered_ns_; }

  /// Connected, initialised, and the sensor is running.
  bool running() const { return state_ == State::running && sensor_ == States::Sensor::running; }
  /// The reason; empty during the very first connection.
  std::string why_not_running() const;
  const std::optional<LoadedJob>& job() const { return job_; }
  const ClockEstimate& clock() const { return clock_; }
  /// The control connection, on which the others depend.
  const Reconnector& control() const { return control_.keeper(); }
  std::vector<Pollable*> pollables() { return {this, &control_, &health_, &data_}; }

  // Pollable: the deadlines of all three
  int fd() const override { return -1; }
  void on_ready(MonotonicNs) override {}
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  enum class State { greeting, opening, starting, running };  // of an open control connection
  struct Question {
    Command command;
    std::uint64_t ticket = 0;
  };

  std::string said(const std::string& what) const;
  void greet(MonotonicNs now);
  void closed(const std::string& why, MonotonicNs now);
  void control_ready(MonotonicNs now);
  void health_ready(MonotonicNs now);
  void data_ready(MonotonicNs now);
  void ask(Command command, MonotonicNs now, bool first = false);
  void send_next(MonotonicNs now);
  void answered(const Reply& reply, MonotonicNs now);
  void refused(const Reply& reply, MonotonicNs now);
  void take_states(const States& states, MonotonicNs now);
  void take_timestamp(const Reply& reply, MonotonicNs now);
  void greeted(MonotonicNs now);
  void channel_open(MonotonicNs now);
  void begin_running();
  void watch(MonotonicNs now);

  Settings settings_;
  Listener& listener_;
  MessageFramer replies_, health_messages_;
  DataReceiver receiver_;
  DropCounters drops_;
  ClockEstimate clock_;

  State state_ = State::greeting;
  States::Sensor sensor_ = States::Sensor::ready;
  std::optional<LoadedJob> job_;
  Version version_;
  std::deque<Question> questions_;  // the first one has been sent where asked_ns_ is set
  std::optional<MonotonicNs> asked_ns_, due_ns_, next_watch_ns_, stalled_ns_, triggered_ns_;
  MonotonicNs first_byte_ns_ = 0;
  std::uint64_t last_ticket_ = 0, opened_ = 0, sets_ = 0;
  std::string why_;               // reason of the loss, until it runs again
  bool up_ = false;               // or being initialised: a loss is reported
  Link control_, health_, data_;  // last: their handlers use the members above
};

}  // namespace datum::gocator
