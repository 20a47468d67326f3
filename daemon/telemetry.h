// What the outside sees of a running datumd: the journal, the counters, and the socket that they are read by.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/cell/cell.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/metrics/cell_metrics.h"
#include "daemon/store/retention/retention.h"
#include "daemon/system/worker.h"

namespace datum {

/// Every line of the daemon goes through it, from any thread. It outlives whoever has its sink.
class Telemetry {
 public:
  explicit Telemetry(std::string cell) : cell_(std::move(cell)) {}

  /// Writes the line, with the fields of its event, and counts it.
  void tell(int priority, const std::string& text, const LogEvent& event = {});
  LogSink sink() {
    return
        [this](int priority, const std::string& text, const LogEvent& event) { tell(priority, text, event); };
  }
  CellMetrics& metrics() { return metrics_; }

 private:
  const std::string cell_;
  CellMetrics metrics_;
};

/// Of a datumd that has no cell yet: why it does not start. Returns `status`.
int tell_refusal(const std::string& why, int status);

/// Where this cell's results, pictures and frames lie.
ServicePlaces places_of(const DaemonConfig& config);

/// Of the store's disk, as it was looked at last.
StoreRoom room_of(const ServiceSampler& facts);

/// What the metrics are read from; all of it outlives them.
struct MetricsDependencies {
  const DaemonConfig& config;
  Telemetry& telemetry;
  InspectionCell& cell;
  const BackendChoice& backend;
  const Worker& worker;
  const ControllerWatch& controller;
  const ServiceSampler& facts;
  const Retention& retention;
  std::function<std::optional<MonotonicNs>()> watchdog_fed;
};

/// The server of [metrics], for the loop.
class MetricsService {
 public:
  explicit MetricsService(MetricsDependencies parts);
  MetricsServer& server() { return server_; }

 private:
  std::string text(MetricsForm form);
  std::optional<std::int64_t> oldest_utc_s();

  MetricsDependencies parts_;
  std::uint64_t oldest_ = 0;  // sequence of the oldest stored result, and when it was measured
  std::optional<std::int64_t> oldest_utc_s_;
  MetricsServer server_;
};

}  // namespace datum
