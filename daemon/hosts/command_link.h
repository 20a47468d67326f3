// Links that speak the command protocol: one serial line or one TCP connection. Results are pushed on links that request
// it, and delivered without loss to hosts that acknowledge (result_delivery.h). A link may speak the ASCII protocol of
// Gocator sensors instead (gocator_session.h).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/delivery/result_delivery.h"
#include "daemon/gocator_ascii/gocator_session.h"
#include "daemon/instrument/host_codec.h"
#include "daemon/system/log_event.h"
#include "daemon/system/token_bucket.h"
#include "drivers/port/link_report.h"
#include "drivers/port/pollable.h"

namespace datum {

/// Notifications from the daemon to every serial or listening link. All calls come from the loop's thread.
class CommandEndpoint : public Pollable, public LinkStatusProvider {
 public:
  /// A result was stored. Links that push send it as a result line (result_line.h).
  virtual void push_result(const BoardVerdict& verdict) = 0;
  /// The state, conditions or pending operations of the instrument changed: *OPC?, *WAI and status events follow.
  virtual void instrument_changed() = 0;
  /// Sequence number up to which every acknowledging host of this endpoint has acknowledged; none: there is no such host.
  virtual std::optional<std::uint64_t> acknowledged() const { return std::nullopt; }
  /// A host waits for the end of what is in work (*WAI, *OPC, *OPC?).
  virtual bool awaits_end() const { return false; }
  /// Enqueues an error that no command caused (a lost device, a full disk) in every host's error queue.
  virtual void raise(int number, const std::string& detail) = 0;
};

struct CommandLinkSettings {
  bool push_results = false;  // at start; the host changes it with DATA:PUSH
  bool reopen = false;        // reconnect with back-off after a loss: serial lines and outgoing connections
  std::string host = "host";  // name of the peer as in lock_arbiter.h
  // Reading pauses until the received commands have been executed at this rate; no command is lost.
  int commands_per_second = 10'000;
  std::optional<GocatorSettings> gocator{};  // none: SCPI
  MonotonicNs since = 0;                     // time of the accept
  // A peer that begins with TLS gets a message that this link has none, and is closed.
  bool tells_of_tls = false;
};

class CommandLink final : public CommandEndpoint {
 public:
  /// Limits of unsent bytes for a host that does not read. Above the first, pushed lines are omitted; a GAP line names
  /// them later. Above the second, answers are dropped with -430.
  static constexpr std::size_t most_unsent_for_push = std::size_t{64} * 1024;
  static constexpr std::size_t most_unsent = std::size_t{4} * 1024 * 1024;

  /// The port may be open already. Otherwise deadline() is immediate and on_deadline() opens it.
  CommandLink(std::unique_ptr<Port> port, Instrument& instrument, CommandLinkSettings settings, LogSink log);

  /// -1 also while commands wait for the rate limit or for an operation: new bytes stay in the peer's buffer.
  int fd() const override { return paused() ? -1 : link_.fd(); }
  bool wants_write() const override {
    return link_.is_open() && (!unsent_.empty() || link_.port().wants_write());
  }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;

  void push_result(const BoardVerdict& verdict) override;
  void instrument_changed() override;
  std::optional<std::uint64_t> acknowledged() const override {
    return delivery_.active() ? std::optional(delivery_.acknowledged()) : std::nullopt;
  }
  void raise(int number, const std::string& detail) override { codec_->raise(number, detail); }
  bool awaits_end() const override { return codec_->owes(); }

  /// Closed, and not to be opened again.
  bool finished() const { return !link_.is_open() && !link_.deadline(); }
  /// Time since which the host executed or acknowledged nothing. None: the host has control or waits for an answer.
  std::optional<MonotonicNs> quiet_since() const;
  /// The host reads the results that are sent to it.
  bool listens() const;
  /// Sends this line where the port accepts it, and closes.
  void dismiss(const std::string& line, const std::string& why, MonotonicNs now);
  /// Result lines that were omitted on this link, outside of lossless delivery.
  std::uint64_t lost_results() const { return lost_results_; }

 private:
  struct Unsent {
    std::string bytes;
    bool answer = false;
  };
  struct Gap {
    std::uint64_t from = 0, to = 0;
    std::string store_id;
  };

  bool paused() const { return codec_->full() || (codec_->waits() && rate_.ready_at() > now_); }
  std::unique_ptr<HostCodec> codec_of(const CommandLinkSettings& settings);
  bool in_pace();
  void work(MonotonicNs now);
  void opened();
  void lost(const std::string& why);
  std::string name() const { return link_.port().describe(); }
  void send_answers();
  void send(std::string bytes, bool answer);
  void flush();
  void announce_gap();
  void drop_answers();
  bool take_host_line(std::string_view line);
  bool begins_tls(const std::uint8_t* bytes, std::size_t size, MonotonicNs now);
  void deliver();

  Instrument& instrument_;
  std::unique_ptr<HostCodec> codec_;
  TokenBucket rate_;
  int turn_left_ = 0;  // commands until the other links are served
  MonotonicNs turn_ends_ = 0;
  ResultDelivery delivery_;
  bool result_waits_ = false;                  // until the next deadline, which has the time
  std::optional<MonotonicNs> store_again_at_;  // next attempt after the store could not be read
  std::uint64_t damaged_lines_ = 0;            // damaged lines from the host
  CommandLinkSettings settings_;
  LogSink log_;
  std::deque<Unsent> unsent_;  // whole lines, so that lines never interleave
  std::size_t unsent_bytes_ = 0;
  std::size_t sent_of_first_ = 0;
  std::optional<Gap> gap_;
  std::uint64_t lost_results_ = 0;
  MonotonicNs now_ = 0;   // time of the event in progress
  MonotonicNs spoke_ns_;  // last executed command or acknowledgement
  std::uint64_t executed_ = 0;
  bool began_ = false;  // at least one byte was received
  bool was_open_;
  Reconnector link_;  // last member: its destructor notifies this object
};

}  // namespace datum
