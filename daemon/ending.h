// Orderly shutdown: the machine is stopped first, within a deadline. At start, a machine that a killed datumd left moving
// is stopped.
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

  /// Registers the machine that shutdown stops.
  void waits_for(CmmSource& cmm) { cmm_ = &cmm; }
  /// Begins the shutdown. A second call ends the loop at once.
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

/// Stops the machine at start where the configuration allows motion: a killed daemon may have left it moving.
void stop_machine_first(const DaemonConfig& config, const LogSink& log);

}  // namespace datum
