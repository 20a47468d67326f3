#include "daemon/metrics/cell_metrics.h"

#include "daemon/metrics/reading.h"

namespace datum {
namespace {

// Seconds. A small board takes some 10 ms, a part with its snapshots minutes; PLC cycle times lie in between.
constexpr std::array<double, 16> board_bounds_s{1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1,  0.2,
                                                0.5,  1.0,  2.0,  5.0,   10.0,  30.0,  60.0, 300.0};
// Seconds. The shortest steps take some 10 us, the longest is a position that is awaited.
constexpr std::array<double, 17> step_bounds_s{20e-6, 50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3,
                                               20e-3, 50e-3, 0.1,    0.2,    0.5,    1.0,  5.0,  30.0};
// Seconds. A synchronous write takes 0.1 ms (battery-backed cache) to some 10 ms (hard disk); beyond 1 s a disk is
// faulty.
constexpr std::array<double, 12> store_bounds_s{100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3,
                                                10e-3,  20e-3,  50e-3,  0.1,  0.5,  2.0};
constexpr const char* priority_names[] = {"emergency", "alert",  "critical", "error",
                                          "warning",   "notice", "info",     "debug"};

double seconds(MonotonicNs from, MonotonicNs to) { return static_cast<double>(to - from) * 1e-9; }

}  // namespace

/// Counters with alerts begin at 0: a series that begins with its first fault shows no increase.
CellMetrics::CellMetrics()
    : trigger_to_result_(board_bounds_s),
      frame_to_verdict_(board_bounds_s),
      verdict_to_stored_(store_bounds_s) {
  for (const auto d : {Decision::pass, Decision::fail, Decision::inconclusive})
    boards_[{d, Reason::none}] = 0;
  for (auto r = static_cast<int>(Reason::none) + 1; r <= static_cast<int>(Reason::internal); ++r)
    boards_[{Decision::invalid, static_cast<Reason>(r)}] = 0;
  for (const BoardStepKind& step : board_step_kinds) stages_.try_emplace(step.name, step_bounds_s);
}

void CellMetrics::heard(int priority, Event event) {
  ++lines_[static_cast<std::size_t>(priority) % priorities];
  ++heard_[static_cast<std::size_t>(event)];
}

void CellMetrics::board(const BoardVerdict& verdict, const BoardTimes& t) {
  ++boards_[{verdict.decision, verdict.reason}];
  for (const BoardStep& step : steps_of(t)) stages_.find(step.name)->second.observe(seconds(0, step.took_ns));
  if (t.triggered_ns > 0) trigger_to_result_.observe(seconds(t.triggered_ns, t.announced_ns));
  if (t.taken_ns > 0) frame_to_verdict_.observe(seconds(t.taken_ns, t.measured_ns));
  verdict_to_stored_.observe(seconds(t.measured_ns, t.stored_ns));
}

void CellMetrics::put_boards(Exposition& to) const {
  for (const auto& [what, count] : boards_)
    to.add(Metric::boards, static_cast<double>(count),
           {{"decision", name_of(what.first)}, {"reason", name_of(what.second)}});
  to.add(Metric::trigger_to_result, trigger_to_result_);
  to.add(Metric::frame_to_verdict, frame_to_verdict_);
  to.add(Metric::verdict_to_stored, verdict_to_stored_);
  for (const BoardStepKind& step : board_step_kinds)
    to.add(Metric::stage_seconds, stages_.find(step.name)->second, {{"stage", step.name}});
  to.add(Metric::store_failures, static_cast<double>(count_of(Event::store_trouble)));
}

void CellMetrics::put_log(Exposition& to, const ServiceReading& service) const {
  for (const EventKind& kind : event_kinds())
    to.add(Metric::events, static_cast<double>(count_of(kind.event)), {{"event", kind.name}});
  for (std::size_t p = 3; p < priorities; ++p)
    to.add(Metric::log_lines, static_cast<double>(lines_[p]), {{"priority", priority_names[p]}});
  to.add(Metric::log_lines_lost, static_cast<double>(service.log_lines_lost));
}

std::string CellMetrics::text(Instrument& instrument, const ServiceReading& service, MetricsForm form) const {
  Exposition to(form);
  put_boards(to);
  put_log(to, service);
  put_instrument(to, instrument);
  put_service(to, service, instrument.monotonic_ns());
  return to.text();
}

}  // namespace datum
