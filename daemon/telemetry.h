// Telemetry of a running datumd: the journal, the counters, and the socket that serves them.
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

/// Every log line of the daemon passes through it, from any thread. It outlives every holder of its sink.
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

/// Reports why a datumd without a cell does not start. Returns `status`.
int tell_refusal(const std::string& why, int status);

/// Folders of this cell's results, pictures and frames.
ServicePlaces places_of(const DaemonConfig& config);

/// Room on the store's disk, from the newest sample.
StoreRoom room_of(const ServiceSampler& facts);

/// Sources of the metrics; all of them outlive MetricsService.
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
  std::uint64_t oldest_ = 0;  // sequence number of the oldest stored result, and its time of measurement
  std::optional<std::int64_t> oldest_utc_s_;
  MetricsServer server_;
};

}  // namespace datum
