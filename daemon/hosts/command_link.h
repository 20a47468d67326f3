// Links that speak the command protocol: one serial line or one TCP connection. Results are pushed on those
// that ask, and delivered without loss to those that acknowledge them (result_delivery.h). A link may speak the ASCII
// protocol of Gocator sensors instead (gocator_session.h).
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

/// What the daemon tells to every link, serial or listening.
class CommandEndpoint : public Pollable, public LinkStatusProvider {
 public:
  /// A stored result. Goes out as a result line (result_line.h) on links that push.
  virtual void push_result(const BoardVerdict& verdict) = 0;
  /// State, conditions or pending operations of the instrument changed: *OPC?, *WAI and status events follow.
  virtual void instrument_changed() = 0;
  /// All results up to this one have been acknowledged by every host on it that acknowledges; none: there is none.
  virtual std::optional<std::uint64_t> acknowledged() const { return std::nullopt; }
  /// An error that no command caused (a lost device, a full disk): into every host's queue.
  virtual void raise(int number, const std::string& detail) = 0;
};

struct CommandLinkSettings {
  bool push_results = false;  // at start; the host changes it with DATA:PUSH
  bool reopen = false;        // after a loss, with back-off: serial lines and connections that datumd makes
  std::string host = "host";  // who speaks there, as lock_arbiter.h names hosts
  // A host that sends more is not read until its commands have been executed at this rate: none is lost.
  int commands_per_second = 10'000;
  std::optional<GocatorSettings> gocator{};  // none: SCPI
  MonotonicNs since = 0;                     // when it was accepted
  bool tells_of_tls = false;  // a peer that begins with TLS is told that this link has none, and closed
};

class CommandLink final : public CommandEndpoint {
 public:
  /// Bytes that wait for a host that does not read: above the first, pushed lines are left out (and named in
  /// a GAP line when there is room again); above the second, answers are dropped with -430.
  static constexpr std::size_t most_unsent_for_push = std::size_t{64} * 1024;
  static constexpr std::size_t most_unsent = std::size_t{4} * 1024 * 1024;

  /// The port may be open already; otherwise deadline() is at once and on_deadline opens it.
  CommandLink(std::unique_ptr<Port> port, Instrument& instrument, CommandLinkSettings settings, LogSink log);

  /// -1 also while the host's commands wait for their pace, or for the end of one: what it sends stays with it.
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

  /// Not open and not going to be.
  bool finished() const { return !link_.is_open() && !link_.deadline(); }
  /// Since when its host has said nothing that was executed or acknowledged. None: it has control or waits for an answer.
  std::optional<MonotonicNs> quiet_since() const;
  /// It reads the results that it is sent.
  bool listens() const;
  /// Says this line, where one can be said, and closes.
  void dismiss(const std::string& line, const std::string& why, MonotonicNs now);
  /// Result lines that never went out on this link, where it was not asked to deliver without loss.
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
  int turn_left_ = 0;  // commands until the other links have their turn
  MonotonicNs turn_ends_ = 0;
  ResultDelivery delivery_;
  bool result_waits_ = false;                  // for the next deadline, which knows the time
  std::optional<MonotonicNs> store_again_at_;  // it could not be read
  std::uint64_t damaged_lines_ = 0;            // of the host
  CommandLinkSettings settings_;
  LogSink log_;
  std::deque<Unsent> unsent_;  // whole lines, so that none interleave
  std::size_t unsent_bytes_ = 0;
  std::size_t sent_of_first_ = 0;
  std::optional<Gap> gap_;
  std::uint64_t lost_results_ = 0;
  MonotonicNs now_ = 0;   // of the event being handled
  MonotonicNs spoke_ns_;  // its host, to some effect
  std::uint64_t executed_ = 0;
  bool began_ = false;  // something came
  bool was_open_;
  Reconnector link_;  // last: it tells this one
};

}  // namespace datum
