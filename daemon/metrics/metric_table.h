// The metrics of datumd: one table, with which tests compare the exposition, datumd(8) and the alert rules. Names by the
// conventions of Prometheus: base units (seconds, bytes), _total for counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace datum {

enum class Metric : std::uint8_t {
  boards,
  frames,
  store_failures,
  results_announced,
  results_acknowledged,
  results_left_out,
  commands,
  command_seconds,
  trigger_to_result,
  frame_to_verdict,
  verdict_to_stored,
  stage_seconds,
  state,
  armed,
  link_up,
  link_opened,
  link_lost,
  link_delivered_age,
  worker_jobs,
  worker_busy,
  watchdog_age,
  backend_fault,
  backend_info,
  gpu_worker_restarts,
  calibration_usable,
  calibration_expires,
  calibration_residual,
  check_state,
  check_due,
  chart_state,
  chart_hits,
  temperature,
  store_first,
  store_last,
  store_results,
  store_oldest,
  store_bytes,
  free_bytes,
  reserve_bytes,
  room_short,
  kept_files,
  kept_bytes,
  results_removed,
  retention_age,
  retention_slice,
  retention_clock_doubted,
  controller_info,
  controller_temperature,
  controller_throttled,
  cpu_clock,
  gpu_temperature,
  gpu_clock,
  gpu_power,
  gpu_memory,
  gpu_memory_free,
  events,
  log_lines,
  log_lines_lost,
  scrapes,
  snapshot_age,
  build_info,
  process_cpu,
  process_memory,
  process_virtual_memory,
  process_fds,
  process_most_fds,
  process_threads,
  process_start,
};
inline constexpr std::size_t metrics = static_cast<std::size_t>(Metric::process_start) + 1;

enum class MetricKind : std::uint8_t { counter, gauge, histogram };
const char* name_of(MetricKind kind);  // "counter" ...

struct MetricFamily {
  Metric metric;
  const char* name;
  MetricKind kind;
  const char* labels;  // label names, separated by blanks
  const char* help;
};
/// In the order of the enumeration.
std::span<const MetricFamily> metric_families();
const MetricFamily& family_of(Metric metric);

}  // namespace datum
