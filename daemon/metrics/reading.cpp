#include "daemon/metrics/reading.h"

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

}  // namespace

void put_instrument(Exposition& to, Instrument& instrument) {
  put_state(to, instrument);
  put_links(to, instrument);
  put_hosts(to, instrument);
  put_calibration(to, instrument);
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

}  // namespace datum
