// From the broker to the database: AMQP 1.0. A message is accepted when it is committed, and never before: what is taken and not
// committed when a connection is lost comes again.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/collect/collect_settings.h"
#include "daemon/collect/delivered.h"
#include "daemon/plant/amqp_connection.h"
#include "drivers/port/pollable.h"

namespace datum {

struct CollectorActions {
  std::function<BrokerAccess()>
      access;  // for each connection; throws RefusedError that names an unusable file
  std::function<void(std::uint64_t number, Delivered message)> write;  // its commit is told by committed()
  std::function<void()> end_writer;                                    // commits what it has, and ends
  std::function<bool()> writer_has_ended;
  std::function<void(int level, const std::string& text)> log;  // levels of syslog
  std::function<std::int64_t()> now_us;                         // since 1970
};

class Collector final : public Pollable {
 public:
  // Before connecting again; doubled each time, until the link has proved itself.
  static constexpr MonotonicNs first_wait_ns = 500'000'000, longest_wait_ns = 30'000'000'000;
  /// A link that is not open after this time is given up.
  static constexpr MonotonicNs opening_ns = 30'000'000'000;
  /// RabbitMQ 3.10 loses accepts of a consumer that closes at once behind them.
  static constexpr MonotonicNs calm_before_close_ns = 500'000'000;
  /// The longest end.
  static constexpr MonotonicNs open_at_end_ns = 10'000'000'000;

  Collector(const CollectSettings& settings, CollectorActions actions);

  /// They are committed: the broker may forget them.
  void committed(const std::vector<std::uint64_t>& numbers, MonotonicNs now);
  /// Commits and accepts what is here, then ends.
  void end(MonotonicNs now);
  bool has_ended() const { return ended_; }

  int fd() const override { return connection_ ? connection_->fd() : -1; }
  bool wants_write() const override { return connection_ && connection_->wants_write(); }
  void on_ready(MonotonicNs now) override { exchange(now); }
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  enum class Phase : std::uint8_t { away, opening, open };

  void connect(MonotonicNs now);
  void exchange(MonotonicNs now);
  void take(MonotonicNs now);
  void announce();
  void drop(const std::string& why, MonotonicNs now);

  const CollectSettings settings_;
  const CollectorActions actions_;
  std::unique_ptr<AmqpConnection> connection_;
  std::map<std::uint64_t, std::uint64_t> open_;  // taken and not accepted: number of the arrival
  std::uint64_t last_number_ = 0;
  Phase phase_ = Phase::away;
  bool ending_ = false, ended_ = false;
  bool is_announced_ = false;
  MonotonicNs wait_ns_ = first_wait_ns, connect_at_ = 0, opening_until_ = 0, opened_ns_ = 0;
  MonotonicNs ending_until_ = 0, settled_ns_ = 0;
  std::optional<MonotonicNs> tick_at_ = 0, session_at_;
  std::string told_;  // each trouble once
};

}  // namespace datum
