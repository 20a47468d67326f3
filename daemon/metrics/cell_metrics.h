// Counters of boards and events, and the exposition of all metrics.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/controller/controller_state.h"
#include "daemon/instrument/instrument.h"
#include "daemon/metrics/board_times.h"
#include "daemon/metrics/metrics_server.h"
#include "daemon/metrics/service_snapshot.h"
#include "daemon/store/retention/retention_snapshot.h"
#include "daemon/system/log_event.h"

namespace datum {

/// Values that the instrument does not know.
struct ServiceReading {
  std::string version, cell;  // of code and configuration
  std::string backend, backend_fault;
  std::uint64_t frames_taken = 0, frames_refused = 0, frames_twice = 0;
  std::size_t worker_jobs = 0;
  std::optional<MonotonicNs> worker_since, watchdog_fed;
  std::uint64_t log_lines_lost = 0;
  MetricsServer::Counts requests;
  std::shared_ptr<const ServiceSnapshot> facts;  // null: no sample yet
  std::optional<ControllerState> controller;
  std::optional<RetentionSnapshot> retention;
  std::map<std::string, std::uint64_t> worker_restarts;  // restarts of datumd-gpu by kind of work
  std::optional<std::int64_t> oldest_utc_s;              // of the oldest stored result
};

class CellMetrics {
 public:
  CellMetrics();

  /// Counts a line of the log. Any thread may call it.
  void heard(int priority, Event event);
  /// Counts a stored result. This and the following members are called by the loop's thread.
  void board(const BoardVerdict& verdict, const BoardTimes& times);
  std::uint64_t count_of(Event event) const { return heard_[static_cast<std::size_t>(event)]; }

  /// All metrics of this moment. Never throws; unreadable values are omitted.
  std::string text(Instrument& instrument, const ServiceReading& service, MetricsForm form) const;

 private:
  void put_boards(Exposition& to) const;
  void put_log(Exposition& to, const ServiceReading& service) const;

  static constexpr std::size_t priorities = 8;
  std::array<std::atomic<std::uint64_t>, events> heard_{};
  std::array<std::atomic<std::uint64_t>, priorities> lines_{};
  std::map<std::pair<Decision, Reason>, std::uint64_t> boards_;
  Histogram trigger_to_result_, frame_to_verdict_, verdict_to_stored_;
  std::map<std::string, Histogram> stages_;
};

}  // namespace datum
