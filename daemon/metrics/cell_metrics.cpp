#include "daemon/metrics/cell_metrics.h"

#include "config/utc_time.h"
#include "daemon/instrument/lock_arbiter.h"

namespace datum {
namespace {

constexpr double hertz_per_mhz = 1e6, meters_per_um = 1e-6;

template <class Value>
double number(Value value) {
  return static_cast<double>(value);
}

template <class Value>
void put_if(Exposition& to, Metric metric, const std::optional<Value>& value, double factor = 1,
            const Exposition::Labels& labels = {}) {
  if (value) to.add(metric, number(*value) * factor, labels);
}

void put_state(Exposition& to, const Instrument& instrument) {
  const InstrumentState now = instrument.state();
  for (const auto s :
       {InstrumentState::idle, InstrumentState::armed, InstrumentState::waiting, InstrumentState::measuring})
    to.add(Metric::state, s == now, {{"state", name_of(s)}});
  to.add(Metric::armed, now != InstrumentState::idle);
}

void put_links(Exposition& to, const Instrument& instrument) {
  const MonotonicNs now = instrument.monotonic_ns();
  for (const LinkReport& link : instrument.link_reports()) {
    const Exposition::Labels name{{"link", link.name}};
    to.add(Metric::link_up, link.state == LinkState::open && link.trouble.empty(),
           {{"link", link.name}, {"kind", link.kind}});
    to.add(Metric::link_opened, number(link.record.opened), name);
    to.add(Metric::link_lost, number(link.record.lost), name);
    if (link.delivered_ns) to.add(Metric::link_delivered_age, number(now - *link.delivered_ns) * 1e-9, name);
  }
}

void put_hosts(Exposition& to, Instrument& instrument) {
  for (const auto& [name, account] : instrument.control().meter().accounts()) {
    const std::string link_name = "host." + name;  // as in link reports
    const Exposition::Labels link{{"link", link_name}};
    to.add(Metric::results_announced, number(account.announced), link);
    to.add(Metric::results_acknowledged, number(account.acknowledged), link);
    to.add(Metric::results_left_out, number(account.left_out), link);
    to.add(Metric::commands, number(account.done), {{"link", link_name}, {"outcome", "done"}});
    to.add(Metric::commands, number(account.refused), {{"link", link_name}, {"outcome", "refused"}});
    to.add(Metric::command_seconds, account.took_s, link);
  }
}

void put_calibration(Exposition& to, const Instrument& instrument) {
  const CalibrationStatus c = instrument.calibration();
  if (c.id.empty()) return;
  to.add(Metric::calibration_usable, c.refusal.empty());
  if (c.sha256.empty()) return;  // the calibration could not be read
  put_if(to, Metric::calibration_expires, utc_from_iso8601(c.expires));
  to.add(Metric::calibration_residual, c.residual_rms_um * meters_per_um);
}

void put_checks(Exposition& to, Instrument& instrument) {
  const ReferenceChecker* checker = instrument.reference_checker();
  if (!checker) return;
  for (const CheckStatus& c : checker->checks()) {
    to.add(Metric::check_state, 1, {{"check", c.name}, {"state", name_of(c.state)}});
    if (c.until_utc_s != 0)
      to.add(Metric::check_due, static_cast<double>(c.until_utc_s), {{"check", c.name}});
  }
}

void put_charts(Exposition& to, Instrument& instrument) {
  const ChartWatcher* watcher = instrument.chart_watcher();
  if (!watcher) return;
  for (const ChartStatus& c : watcher->charts()) {
    to.add(Metric::chart_state, 1, {{"recipe", c.recipe}, {"state", name_of(c.state)}});
    to.add(Metric::chart_hits, number(c.hit_results), {{"recipe", c.recipe}});
  }
}

void put_store(Exposition& to, Instrument& instrument) {
  try {
    const StoreExtent have = instrument.results();
    to.add(Metric::store_first, number(have.first));
    to.add(Metric::store_last, number(have.last));
    to.add(Metric::store_results, number(have.count));
  } catch (const std::exception&) {  // the log and *TST? report it
  }
}

void put_snapshot(Exposition& to, const ServiceSnapshot& facts, MonotonicNs now) {
  put_if(to, Metric::store_bytes, facts.store_bytes);
  for (const auto& [place, bytes] : facts.free_bytes)
    to.add(Metric::free_bytes, number(bytes), {{"place", place}});
  to.add(Metric::snapshot_age, number(now - facts.looked_ns) * 1e-9);
  put_if(to, Metric::process_cpu, facts.cpu_s);
  put_if(to, Metric::process_memory, facts.memory_bytes);
  put_if(to, Metric::process_virtual_memory, facts.virtual_bytes);
  put_if(to, Metric::process_fds, facts.fds);
  put_if(to, Metric::process_most_fds, facts.most_fds);
  put_if(to, Metric::process_threads, facts.threads);
  put_if(to, Metric::process_start, facts.started_utc_s);
}

void put_retention(Exposition& to, const RetentionSnapshot& facts, MonotonicNs now) {
  to.add(Metric::reserve_bytes, number(facts.reserve_bytes));
  to.add(Metric::room_short, facts.room_short);
  for (const auto& [kind, kept] : facts.kept) {
    to.add(Metric::kept_files, number(kept.number), {{"kind", kind}});
    to.add(Metric::kept_bytes, number(kept.bytes), {{"kind", kind}});
  }
  to.add(Metric::results_removed, number(facts.results_removed));
  if (facts.looked_ns) to.add(Metric::retention_age, number(now - *facts.looked_ns) * 1e-9);
  to.add(Metric::retention_slice, facts.slices_s);
  to.add(Metric::retention_clock_doubted, facts.clock_doubted);
}

void put_controller(Exposition& to, const ControllerState& c) {
  to.add(Metric::controller_info, 1,
         {{"model", c.model}, {"power_mode", c.power_mode}, {"governor", c.cpu.governor}});
  put_if(to, Metric::controller_temperature, c.hottest_degc, 1, {{"zone", c.hottest_zone}});
  for (const std::string& by : c.throttled_by) to.add(Metric::controller_throttled, 1, {{"by", by}});
  put_if(to, Metric::cpu_clock, c.cpu.lowest_mhz, hertz_per_mhz, {{"core", "slowest"}});
  put_if(to, Metric::cpu_clock, c.cpu.highest_mhz, hertz_per_mhz, {{"core", "fastest"}});
  if (!c.gpu) return;
  const Exposition::Labels gpu{{"gpu", c.gpu->device}};
  put_if(to, Metric::gpu_temperature, c.gpu->temperature_degc, 1, gpu);
  put_if(to, Metric::gpu_clock, c.gpu->clock_mhz, hertz_per_mhz, gpu);
  put_if(to, Metric::gpu_power, c.gpu->power_w, 1, gpu);
  put_if(to, Metric::gpu_memory, c.gpu->memory_bytes, 1, gpu);
  put_if(to, Metric::gpu_memory_free, c.gpu->memory_free_bytes, 1, gpu);
}

void put_instrument(Exposition& to, Instrument& instrument) {
  put_state(to, instrument);
  put_links(to, instrument);
  put_hosts(to, instrument);
  put_calibration(to, instrument);
  put_checks(to, instrument);
  put_charts(to, instrument);
  put_store(to, instrument);
  if (const auto told = instrument.temperature()) to.add(Metric::temperature, told->degc);
}

void put_service(Exposition& to, const ServiceReading& s, MonotonicNs now) {
  to.add(Metric::frames, number(s.frames_taken), {{"outcome", "taken"}});
  to.add(Metric::frames, number(s.frames_refused), {{"outcome", "refused"}});
  to.add(Metric::frames, number(s.frames_twice), {{"outcome", "twice"}});
  to.add(Metric::worker_jobs, number(s.worker_jobs));
  to.add(Metric::worker_busy, s.worker_since ? number(now - *s.worker_since) * 1e-9 : 0.0);
  if (s.watchdog_fed) to.add(Metric::watchdog_age, number(now - *s.watchdog_fed) * 1e-9);
  to.add(Metric::backend_fault, !s.backend_fault.empty());
  to.add(Metric::backend_info, 1, {{"backend", s.backend}});
  for (const auto& [work, restarts] : s.worker_restarts)
    to.add(Metric::gpu_worker_restarts, number(restarts), {{"worker", work}});
  put_if(to, Metric::store_oldest, s.oldest_utc_s);
  if (s.retention) put_retention(to, *s.retention, now);
  to.add(Metric::build_info, 1, {{"version", s.version}, {"cell", s.cell}});
  to.add(Metric::scrapes, number(s.requests.answered), {{"outcome", "answered"}});
  to.add(Metric::scrapes, number(s.requests.refused), {{"outcome", "refused"}});
  to.add(Metric::scrapes, number(s.requests.given_up), {{"outcome", "given_up"}});
  if (s.facts) put_snapshot(to, *s.facts, now);
  if (s.controller) put_controller(to, *s.controller);
}

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
