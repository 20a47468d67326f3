#include "daemon/metrics/metric_table.h"

#include <array>

namespace datum {
namespace {

using enum Metric;
using enum MetricKind;

constexpr std::array<MetricFamily, metrics> families{{
    {boards, "datumd_boards_total", counter, "decision reason", "Boards with a stored result."},
    {frames, "datumd_frames_total", counter, "outcome",
     "Frames of the sensor: taken for a board, refused, or delivered twice."},
    {store_failures, "datumd_store_failures_total", counter, "",
     "Results that could not be stored; the cell was disarmed, the board kept."},
    {results_announced, "datumd_results_announced_total", counter, "link", "Results that went out to hosts."},
    {results_acknowledged, "datumd_results_acknowledged_total", counter, "link",
     "Results that hosts said to have, where they take them without loss."},
    {results_left_out, "datumd_results_left_out_total", counter, "link",
     "Results that a host was not sent: it did not read, or was not there. The store has them."},
    {commands, "datumd_commands_total", counter, "link outcome", "Commands of hosts, done or refused."},
    {command_seconds, "datumd_command_duration_seconds", histogram, "link",
     "From the beginning of a command's execution to its end."},
    {trigger_to_result, "datumd_trigger_to_result_seconds", histogram, "",
     "From the trigger, or the frame that came without one, to the announced result."},
    {frame_to_verdict, "datumd_frame_to_verdict_seconds", histogram, "",
     "From the frame that was taken to its verdict, positions awaited included."},
    {verdict_to_stored, "datumd_verdict_to_stored_seconds", histogram, "",
     "From the verdict to the disk that holds it."},
    {stage_seconds, "datumd_stage_duration_seconds", histogram, "stage",
     "Steps of a board's way, by the names of datumctl show --times."},
    {state, "datumd_state", gauge, "state", "1 for the state that the cell is in."},
    {armed, "datumd_armed", gauge, "", "1 while triggers or frames are taken."},
    {link_up, "datumd_link_up", gauge, "link kind", "1 while the link is open and of use."},
    {link_opened, "datumd_link_opened_total", counter, "link", "Times that the link was opened."},
    {link_lost, "datumd_link_lost_total", counter, "link", "Times that the link was lost."},
    {link_delivered_age, "datumd_link_delivered_age_seconds", gauge, "link",
     "Since its last frame or position."},
    {worker_jobs, "datumd_worker_queue_jobs", gauge, "", "Jobs that wait for the worker or are in its hand."},
    {worker_busy, "datumd_worker_busy_seconds", gauge, "",
     "How long the job in hand has lasted; 0: none is."},
    {watchdog_age, "datumd_watchdog_age_seconds", gauge, "",
     "Since datumd last reported to the service manager that it is well; absent where it does not ask."},
    {backend_fault, "datumd_backend_fault", gauge, "",
     "1 while boards that belong to the GPU are measured by the CPU."},
    {backend_info, "datumd_backend_info", gauge, "backend", "Who measured last."},
    {gpu_worker_restarts, "datumd_gpu_worker_restarts_total", counter, "worker",
     "Times that a datumd-gpu had to be started again: the one of boards, the one of stages."},
    {calibration_usable, "datumd_calibration_usable", gauge, "",
     "1 where the chosen recipe's calibration may be used now; absent where it needs none."},
    {calibration_expires, "datumd_calibration_expires_timestamp_seconds", gauge, "",
     "When it expires, seconds since 1970-01-01 UTC."},
    {calibration_residual, "datumd_calibration_residual_rms_meters", gauge, "", "Of its fit."},
    {check_state, "datumd_reference_check_state", gauge, "check state",
     "1 of the state in which a reference check is: VALID, OVERRIDDEN, DUE, CHECK or FAILED."},
    {check_due, "datumd_reference_check_due_timestamp_seconds", gauge, "check",
     "When a VALID or OVERRIDDEN one becomes due, seconds since 1970-01-01 UTC; absent where no time does "
     "it."},
    {chart_state, "datumd_control_chart_state", gauge, "recipe state",
     "1 of the state in which a recipe's control charts are: IN_CONTROL, NO_LIMITS, STALE, HIT or DISARMED."},
    {chart_hits, "datumd_control_chart_hit_results", gauge, "recipe",
     "Results that hit a rule since a person acknowledged it."},
    {temperature, "datumd_cell_temperature_celsius", gauge, "", "As a host reported it last."},
    {store_first, "datumd_store_first_sequence", gauge, "", "Number of the oldest result that is stored."},
    {store_last, "datumd_store_last_sequence", gauge, "", "Number of the newest one."},
    {store_results, "datumd_store_results", gauge, "", "Results that are stored."},
    {store_oldest, "datumd_store_oldest_timestamp_seconds", gauge, "",
     "When the oldest stored result was measured, seconds since 1970-01-01 UTC."},
    {store_bytes, "datumd_store_bytes", gauge, "", "Size of the store with its journal."},
    {free_bytes, "datumd_free_bytes", gauge, "place",
     "Room for datumd's account where the store, the pictures and the frames are."},
    {reserve_bytes, "datumd_reserve_bytes", gauge, "", "Room below which no board is taken, in each place."},
    {room_short, "datumd_room_short", gauge, "", "1 while no board is taken for want of room."},
    {kept_files, "datumd_kept_files", gauge, "kind",
     "Deliveries of frames, and pictures, that are kept; of a kind that has a limit, as listed last."},
    {kept_bytes, "datumd_kept_bytes", gauge, "kind", "What they take on the disk."},
    {results_removed, "datumd_results_removed_total", counter, "", "Old results that retention removed."},
    {retention_age, "datumd_retention_age_seconds", gauge, "",
     "Since old results were looked for; absent where nothing has a limit of results or of days."},
    {retention_slice, "datumd_retention_slice_duration_seconds", histogram, "",
     "How long a look for old results took; a board that came meanwhile waited for it."},
    {retention_clock_doubted, "datumd_retention_clock_doubted", gauge, "",
     "1 while nothing is removed by age, since the clock may be wrong."},
    {controller_info, "datumd_controller_info", gauge, "model power_mode governor",
     "The computer; always 1."},
    {controller_temperature, "datumd_controller_temperature_celsius", gauge, "zone", "Of its hottest zone."},
    {controller_throttled, "datumd_controller_throttled", gauge, "by",
     "1 where heat or current slowed it down since the sample before."},
    {cpu_clock, "datumd_cpu_clock_hertz", gauge, "core", "Of the slowest and the fastest core in use."},
    {gpu_temperature, "datumd_gpu_temperature_celsius", gauge, "gpu", "Of the GPU, where it reports it."},
    {gpu_clock, "datumd_gpu_clock_hertz", gauge, "gpu", "Of its processors."},
    {gpu_power, "datumd_gpu_power_watts", gauge, "gpu", "That it draws."},
    {gpu_memory, "datumd_gpu_memory_bytes", gauge, "gpu",
     "Its memory; absent where it shares the computer's."},
    {gpu_memory_free, "datumd_gpu_memory_free_bytes", gauge, "gpu", "Its memory that is free."},
    {events, "datumd_events_total", counter, "event",
     "Events as the journal has them, by the names that datumd(8) lists."},
    {log_lines, "datumd_log_lines_total", counter, "priority", "Lines of the log, by their priority."},
    {log_lines_lost, "datumd_log_lines_lost_total", counter, "", "Lines that the journal did not take."},
    {scrapes, "datumd_metrics_requests_total", counter, "outcome",
     "Requests for these numbers: answered, refused, or given up."},
    {snapshot_age, "datumd_facts_age_seconds", gauge, "",
     "Since sizes, free room and the GPU were looked at; it grows where a disk or a driver hangs."},
    {build_info, "datumd_build_info", gauge, "version cell", "Always 1."},
    {process_cpu, "process_cpu_seconds_total", counter, "", "Processor time of datumd, user and system."},
    {process_memory, "process_resident_memory_bytes", gauge, "", "Memory that datumd holds."},
    {process_virtual_memory, "process_virtual_memory_bytes", gauge, "", "Addresses that datumd holds."},
    {process_fds, "process_open_fds", gauge, "", "Open descriptors."},
    {process_most_fds, "process_max_fds", gauge, "", "Descriptors that it may open."},
    {process_threads, "process_threads", gauge, "", "Threads of datumd."},
    {process_start, "process_start_time_seconds", gauge, "", "When it was started, since 1970-01-01 UTC."},
}};

}  // namespace

const char* name_of(MetricKind kind) {
  switch (kind) {
    case counter:
      return "counter";
    case gauge:
      return "gauge";
    case histogram:
      return "histogram";
  }
  return "?";
}

std::span<const MetricFamily> metric_families() { return families; }

const MetricFamily& family_of(Metric metric) { return families[static_cast<std::size_t>(metric)]; }

}  // namespace datum
