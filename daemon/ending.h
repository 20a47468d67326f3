// How the daemon ends in order: what moves is stopped first, within a deadline. And what one before it left moving.
#pragma once

#include <optional>

#include "daemon/configuration/daemon_config.h"
#include "daemon/system/event_loop.h"
#include "daemon/system/log_event.h"
#include "drivers/cmm/source.h"

namespace datum {

class Ending {
 public:
  Ending(EventLoop& loop, LogSink log) : loop_(loop), log_(std::move(log)) {}

  /// Its machine may move.
  void waits_for(CmmSource& cmm) { cmm_ = &cmm; }
  /// Told to end. The second time it ends at once.
  void begin(MonotonicNs now);
  void after_round(MonotonicNs now);

  /// For AbortE, ClearAllErrors and EndSession, each answered; well below the units' TimeoutStopSec.
  static constexpr MonotonicNs longest_ns = MonotonicNs{5} * 1'000'000'000;

 private:
  EventLoop& loop_;
  LogSink log_;
  CmmSource* cmm_ = nullptr;
  std::optional<MonotonicNs> due_;
};

/// Where the configuration allows motion: a daemon that was killed may have left its machine moving.
void stop_machine_first(const DaemonConfig& config, const LogSink& log);

}  // namespace datum
