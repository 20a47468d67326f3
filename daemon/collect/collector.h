// From the broker to the database: AMQP 1.0. A message is accepted when it is committed, and never before: what is taken and not
// committed when a connection is lost comes again.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/collect/collect_settings.h"
#include "daemon/collect/delivered.h"
#include "daemon/plant/amqp_link.h"

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

class Collector final : public AmqpLink {
 public:
  /// RabbitMQ 3.10 loses accepts of a consumer that closes at once behind them.
  static constexpr MonotonicNs calm_before_close_ns = 500'000'000;
  /// The longest end.
  static constexpr MonotonicNs open_at_end_ns = 10'000'000'000;

  Collector(const CollectSettings& settings, CollectorActions actions);

  /// They are committed: the broker may forget them.
  void committed(const std::vector<std::uint64_t>& numbers, MonotonicNs now);
  /// Commits and accepts what is here, then ends.
  void end(MonotonicNs now);

  void on_deadline(MonotonicNs now) override;

 private:
  std::unique_ptr<AmqpConnection> make_connection() override;
  void work(MonotonicNs now) override;
  /// What was not accepted comes again, and changes nothing where it is committed.
  void lost(MonotonicNs) override { open_.clear(); }
  std::string proved() override;

  const CollectSettings settings_;
  const CollectorActions actions_;
  std::map<std::uint64_t, std::uint64_t> open_;  // taken and not accepted: number of the arrival
  std::uint64_t last_number_ = 0;
  MonotonicNs ending_until_ = 0, settled_ns_ = 0;
};

}  // namespace datum
