#include "daemon/holes/hole_procedure.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

[[noreturn]] void conflict(const std::string& why) { throw scpi::Error(scpi::settings_conflict, why); }

std::string entering_text(bool by_itself) {
  return by_itself ? "PROBe:HOLE:ENTer moves the tip above the hole and into it; no person within its reach"
                   : "lead the tip above the hole and into it, then PROBe:HOLE:ENTer";
}

}  // namespace

struct HoleProcedure::Search {
  FrameScan::Result scan;
  DroppedFrame frame;
  HoleCandidate hole;
};

HoleProcedure::HoleProcedure(HoleProcedureDependencies parts)
    : parts_(std::move(parts)),
      touch_(parts_.cmm, [this](const TouchSource& touch, MonotonicNs now) { touch_ended(touch, now); }),
      scan_(parts_, "PROBe:HOLE:SCAN"),
      drive_(parts_.cmm, {[this](const std::string& text) { say(text); }, [this] { return room(); },
                          [this](const std::string& why, MonotonicNs now) { moved(why, now); }}) {}

const HoleSettings& HoleProcedure::settings() const {
  if (!parts_.holes || !parts_.config.calibrate || !parts_.cmm)
    throw scpi::Error(
        scpi::hardware_missing,
        "the cell's configuration has no [holes] with a log_folder, or no [cmm] and [calibration] with "
        "the probe; config/datumd.toml explains them");
  return *parts_.holes;
}

HybridSettings HoleProcedure::hybrid_settings() const {
  const HoleSettings& s = settings();
  const CalibrateSettings& c = *parts_.config.calibrate;
  HybridSettings hybrid;
  hybrid.probe = {c.probe_radius_mm, c.probe_u_radius_um * 1e-3, c.probe_u_touch_um * 1e-3};
  hybrid.depth_mm = s.depth_mm;
  hybrid.spare_mm = s.spare_mm;
  hybrid.eps_mm = s.eps_um * 1e-3;
  hybrid.timeout_ms = s.timeout_ms;
  return hybrid;
}

void HoleProcedure::enter_step(Step step) {
  step_ = step;
  parts_.changed();
}

void HoleProcedure::demand_ready(const Calibration& calibration) const {
  const HoleSettings& holes = settings();
  gauge_.demand(holes, HoleOrder{Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity())},
                calibration, EventLoop::now());
}

void HoleProcedure::start(const HoleOrder& order) {
  settings();
  if (active()) conflict("a hole is in progress; PROBe:HOLE:ABORt ends it");
  demand_rest();
  parts_.demand_idle();
  travel_z_mm_.reset();
  begin_order(order, parts_.calibration());
  enter_step(Step::started);
}

void HoleProcedure::begin(const HoleOrder& order, const FoundHole& found, double travel_z_mm) {
  settings();
  if (active()) conflict("a hole is in progress; PROBe:HOLE:ABORt ends it");
  demand_rest();
  travel_z_mm_ = travel_z_mm;
  begin_order(order, parts_.calibration());
  probe_found(found);
}

void HoleProcedure::begin_order(const HoleOrder& order,
                                const std::shared_ptr<const Calibration>& calibration) {
  gauge_.demand(settings(), order, *calibration, EventLoop::now());
  step_ = Step::idle;  // what the hole before came to is no more
  if (run_ && calibration->sha256 != calibration_->sha256) run_.reset();
  calibration_ = calibration;
  try {
    take_up_run();
  } catch (const HoleLogError& error) {
    run_.reset();
    throw scpi::Error(scpi::mass_storage_error, error.what());
  } catch (const FitRefused& refused) {
    throw scpi::Error(scpi::settings_conflict, std::string("[holes], [calibration]: ") + refused.what());
  }
  order_ = order;
  frame_id_ = frame_sha256_ = last_ = way_back_fault_ = "";
  say(fmt::format("started at {:.3f} {:.3f} {:.3f} mm, radius {:.3f} mm, calibration {}, log {}",
                  order.center_mm.x(), order.center_mm.y(), order.center_mm.z(), order.radius_mm,
                  calibration_->id, log_.file().string()));
}

bool HoleProcedure::orders_gauge() const {
  return settings().gauge && is_gauge(*settings().gauge, order_.center_mm);
}

/// The bias of earlier holes holds while the calibration does.
void HoleProcedure::take_up_run() {
  if (run_) return;
  run_.emplace(hybrid_settings());
  log_.begin(settings().logs, utc());
  log_.write(*run_);
}

void HoleProcedure::scan() {
  if (step_ != Step::started)
    conflict(active() ? "it is " + step() + "; PROBe:HOLE:ABORt"
                      : "no hole is in progress; PROBe:HOLE:STARt");
  if (parts_.calibration()->sha256 != calibration_->sha256)
    conflict("another calibration became current; PROBe:HOLE:ABORt, then start again");
  const auto frame = std::make_shared<DroppedFrame>();
  scan_.start([frame](DroppedFrame& read) { *frame = std::move(read); },
              [this, frame](const FrameScan::Result& result) { seek(result, std::move(*frame)); },
              EventLoop::now());
  enter_step(Step::scanning);
}

void HoleProcedure::demand_rest() const {
  if (pending()) conflict("it waits for the probe already; wait, or PROBe:HOLE:ABORt");
}

/// A probe in the hole is free: only a machine that stands still says where.
void HoleProcedure::await_touch(bool entry) {
  TouchSettings s;
  s.rule = entry ? TouchRule::stand_still : parts_.config.cmm->touch;
  s.timeout_ms = settings().timeout_ms;
  s.latency_ms = parts_.config.cmm->pairing.latency_ms;
  entry_ = entry;
  touch_.start(s, EventLoop::now());
  parts_.changed();
}

void HoleProcedure::stop_waiting() {
  touch_.abort(EventLoop::now());
  scan_.abort();
  search_.reset();
}

void HoleProcedure::abort() {
  drive_.stop("aborted");
  if (active()) {
    stop_waiting();
    if (step_ == Step::probing) run_->abort(EventLoop::now());
    record([this] { log_.write(*run_); });
    say("aborted");
    last_ = "aborted";
    enter_step(Step::idle);
  }
  run_.reset();
  step_ = Step::idle;
}

std::string HoleProcedure::step() const {
  switch (step_) {
    case Step::idle:
      return "IDLE";
    case Step::started:
      return "STARTED";
    case Step::scanning:
      return "SCANNING";
    case Step::probing:
    case Step::ended:
      break;
  }
  return name_of(run_->probe().state());
}

std::vector<std::string> HoleProcedure::report() const {
  std::vector<std::string> lines;
  if (!last_.empty()) lines.push_back(last_);
  if (step_ == Step::started) lines.push_back("next: PROBe:HOLE:SCAN, then let the sensor expose");
  if (step_ == Step::scanning)
    lines.push_back(awaits_frame() ? "waiting for the frame" : "waiting for the stage's position");
  if (step_ == Step::probing) {
    const HybridProbe& probe = run_->probe();
    const bool entering = probe.state() == HybridProbe::State::approach;
    lines.push_back(entering ? entering_text(drive_.available())
                             : fmt::format("round {}, touch {} of {}: PROBe:HOLE:TOUCh{}", probe.round(),
                                           probe.touches().size() + 1, probe.touches_of_round(),
                                           drive_.available() ? " goes" : ", then to the wall and back"));
    for (const HoleMove& move : moves())
      lines.push_back(fmt::format("{} {:.4f} {:.4f} {:.4f} mm",
                                  move.until_contact ? "until contact, to" : "to", move.to_mm.x(),
                                  move.to_mm.y(), move.to_mm.z()));
    if (pending()) lines.push_back("waiting for the probe");
  }
  if (step_ == Step::ended && !run_->probe().why().empty()) lines.push_back(run_->probe().why());
  if (step_ == Step::ended && !settings().gauge)
    lines.push_back(
        fmt::format("the probe's radius is as calibration.probe_radius_mm states it, u {:g} um; no ring "
                    "gauge checks it (holes.ring_gauge)",
                    parts_.config.calibrate->probe_u_radius_um));
  if (step_ == Step::ended && settings().gauge && gauge_.last() && !orders_gauge())
    lines.push_back(fmt::format("{}, on {}", gauge_.last()->check.words, gauge_.last()->utc));
  return lines;
}

std::optional<HoleResult> HoleProcedure::result() const {
  if (step_ != Step::ended) return std::nullopt;
  const TouchedHole& hole = run_->probe().hole();
  HoleResult r{step(),        run_->probe().why(), hole.center_mm,   hole.radius_mm,       hole.u_mm,
               hole.form_mm,  hole.touches,        calibration_->id, calibration_->sha256, frame_id_,
               frame_sha256_, log_.file().string()};
  if (hole.touches == 0) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    r.center_mm.setConstant(none);
    r.u_mm.setConstant(none);
    r.radius_mm = r.form_mm = none;
  }
  return r;
}

// ---- what the cell's links bring ----

void HoleProcedure::position(const ProbePoint& sample, MonotonicNs now) {
  touch_.active() ? touch_.position(sample, now) : scan_.position(sample, now);
}

std::optional<MonotonicNs> HoleProcedure::deadline() const {
  std::optional<MonotonicNs> first;
  const auto probe = step_ == Step::probing ? run_->probe().deadline() : std::nullopt;
  for (const auto& at : {touch_.deadline(), probe, scan_.deadline()})
    if (at && (!first || *at < *first)) first = at;
  return first;
}

void HoleProcedure::on_deadline(MonotonicNs now) {
  if (touch_.active()) {
    touch_.on_deadline(now);
    if (!touch_.active()) return;
  }
  if (step_ != Step::probing) return scan_.on_deadline(now);
  run_->on_deadline(now);
  if (run_->probe().finished()) probe_moved_on();
}

HolePlace HoleProcedure::place() const { return {order_, *calibration_, parts_.sensor, settings()}; }

void HoleProcedure::seek(const FrameScan::Result& scan, DroppedFrame frame) {
  if (!scan.error.empty()) return fail_scan(scan.error);
  search_ = std::make_shared<Search>(Search{scan, std::move(frame), {}});
  parts_.worker.submit_fallible(
      [s = search_, seek = search_at(place(), scan.q_mm)] { s->hole = seek(s->frame.frame); },
      [this, s = search_](const std::string& failed) {
        if (s != search_) return;  // aborted
        failed.empty() ? hole_sought(s) : fail_scan(failed);
      });
}

void HoleProcedure::hole_sought(const std::shared_ptr<Search>& s) {
  try {
    probe_found({s->hole, s->scan.identity, s->scan.q_mm});
  } catch (const scpi::Error& error) {
    fail_scan(error.what());
  }
}

/// Throws scpi::Error: a result that names nothing that made it is none.
void HoleProcedure::probe_found(const FoundHole& found) {
  frame_id_ = found.identity.frame_id;
  frame_sha256_ = found.identity.content_sha256;
  const auto& gauge = gauge_.last();
  try {
    log_.source(source_line(place(), found, utc(), gauge && !orders_gauge() ? &*gauge : nullptr));
  } catch (const HoleLogError& error) {
    throw scpi::Error(scpi::mass_storage_error, error.what());
  }
  const HoleCandidate& hole = found.hole;
  last_ = fmt::format("found in frame {}: center {:.3f} {:.3f} mm, radius {:.3f} mm, {}", frame_id_,
                      hole.center_mm.x(), hole.center_mm.y(), hole.radius_mm, words_of(hole));
  search_.reset();
  run_->scan(hole, EventLoop::now());
  probe_moved_on();
}

void HoleProcedure::fail_scan(const std::string& why) {
  stop_waiting();
  last_ = "no scan: " + why;
  enter_step(Step::started);
  parts_.raise(scpi::execution_error, last_);
}

void HoleProcedure::touch_ended(const TouchSource& touch, MonotonicNs now) {
  if (touch.step() == TouchSource::Step::failed) {
    run_->touch_failed((entry_ ? "the probe's place is not known: " : "no touch: ") + touch.why(), now);
  } else {
    const Eigen::Vector3d q_mm(touch.touch().position_mm.data());
    const Eigen::Vector3d tip_mm = corrected_position(calibration_->stage, q_mm);
    entry_ ? run_->entered(tip_mm, now) : run_->touched(tip_mm, now);
    last_ = fmt::format("{} at {:.4f} {:.4f} {:.4f} mm", entry_ ? "entered" : "touched", q_mm.x(), q_mm.y(),
                        q_mm.z());
  }
  probe_moved_on();
}

/// After every input of the run: on the disk, and told where it ended.
void HoleProcedure::probe_moved_on() {
  record([this] { log_.write(*run_); });
  const HybridProbe& probe = run_->probe();
  if (!probe.finished()) return enter_step(Step::probing);
  // After the last touch it still goes back to the middle and out of the hole; after anything else somebody must look first.
  if (probe.state() == HybridProbe::State::done) {
    drive_.append({{false, calibration_->stage.a.inverse() * probe.above_mm()}});
    if (travel_z_mm_) drive_.append({travel_move()});
  } else {
    drive_.stop(probe.why());
  }
  stop_waiting();
  if (probe.state() == HybridProbe::State::done) {
    last_ = fmt::format("center {:.4f} {:.4f} mm, radius {:.4f} mm, U (k = 2) {:.4f} {:.4f} {:.4f} mm",
                        probe.hole().center_mm.x(), probe.hole().center_mm.y(), probe.hole().radius_mm,
                        2 * probe.hole().u_mm.x(), 2 * probe.hole().u_mm.y(), 2 * probe.hole().u_mm.z());
    say(std::string("DONE: ") + last_);
  } else {
    last_.clear();
    parts_.raise(scpi::execution_error, fmt::format("hole: {}: {}", name_of(probe.state()), probe.why()));
  }
  if (orders_gauge()) check_gauge();
  enter_step(Step::ended);
}

void HoleProcedure::check_gauge() {
  const HybridProbe& probe = run_->probe();
  const TouchedHole* hole = probe.state() == HybridProbe::State::done ? &probe.hole() : nullptr;
  const GaugeWatch::Measured& gauge =
      gauge_.measure(*settings().gauge, hole, EventLoop::now(), utc(), *calibration_);
  if (!hole) return;
  const GaugeCheck& check = gauge.check;
  last_ += "; " + check.words;
  say(check.words);
  const nlohmann::ordered_json line{{"utc", gauge.utc},
                                    {"ring_gauge_off_mm", check.off_mm},
                                    {"ring_gauge_u_mm", check.u_mm},
                                    {"ring_gauge_held", check.held}};
  record([&] { log_.source(line.dump()); });
  if (!check.held) parts_.raise(scpi::execution_error, "hole: " + check.words);
}

}  // namespace datum
