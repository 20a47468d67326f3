// GET /metrics on a Unix socket or a loopback port. The loop sees it as one Pollable.
//
// No scraper can block the loop. At most `per_second` connections are accepted per second; beyond `most_connections` the
// oldest one is closed in any state. A request has at most `longest` bytes and `timeout_ms`. The text is made at most
// once per `fresh_ms` and shared. A listener that can't be opened is logged and tried again; boards do not wait for it.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "daemon/metrics/metrics_connection.h"
#include "daemon/metrics/settings.h"
#include "daemon/system/log_event.h"
#include "daemon/system/poll_set.h"
#include "daemon/system/token_bucket.h"

namespace datum {

class MetricsServer final : public Pollable {
 public:
  // A complete request is answered in the same turn; the oldest connection had most_connections / per_second = 3 s.
  static constexpr std::size_t most_connections = 60;
  static constexpr int per_second = 20, burst = 40;
  static constexpr int timeout_ms = 5000, fresh_ms = 500, listen_again_ms = 10'000;

  struct Counts {
    std::uint64_t answered = 0, refused = 0, given_up = 0;
  };
  /// Makes the text of this moment; must not throw.
  using Text = std::function<std::string(MetricsForm)>;

  MetricsServer(MetricsSettings settings, Text text, LogSink log);
  ~MetricsServer() override;

  const Counts& counts() const { return counts_; }
  std::size_t connections() const { return connections_.size(); }
  /// Port of the loopback listener; 0: none.
  std::uint16_t port() const;

  int fd() const override { return set_.fd(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  class Listener;
  using SharedText = std::shared_ptr<const std::string>;

  void listen(MonotonicNs now);
  void take(int socket, MonotonicNs now);
  bool has_turn(MonotonicNs now) const { return allowance_.ready(now); }
  void make_room();
  SharedText text(MetricsForm form, MonotonicNs now);
  void tidy();

  const MetricsSettings settings_;
  const Text make_;
  const LogSink log_;
  TokenBucket allowance_{per_second, burst};
  Counts counts_;
  struct Made {
    SharedText text;
    MonotonicNs at_ns = 0;
  };
  Made made_[2];  // by form
  std::optional<MonotonicNs> listen_at_ = 0;
  std::string trouble_;
  MonotonicNs now_ = 0;  // time of the event in progress
  PollSet set_;
  std::list<std::unique_ptr<Listener>> listeners_;
  std::list<std::unique_ptr<MetricsConnection>> connections_;
};

}  // namespace datum
