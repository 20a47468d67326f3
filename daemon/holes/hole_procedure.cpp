// What an operator may ask of the desk.
#include "daemon/holes/hole_procedure.h"

#include <fmt/format.h>

#include <Eigen/LU>

#include <limits>

#include "config/utc_time.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

[[noreturn]] void conflict(const std::string& why) { throw scpi::Error(scpi::settings_conflict, why); }

std::string entering_text(bool by_itself) {
  return by_itself ? "PROBe:HOLE:ENTer moves the tip above the hole and into it; nobody in its reach"
                   : "lead the tip above the hole and into it, then PROBe:HOLE:ENTer";
}

}  // namespace

HoleProcedure::HoleProcedure(HoleProcedureDependencies parts)
    : parts_(std::move(parts)), stare_(parts_.config.cmm ? parts_.config.cmm->pairing : PairSettings{}) {
  if (mover()) mover()->on_moved([this](const std::string& why, MonotonicNs now) { moved(why, now); });
}

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

void HoleProcedure::start(const HoleOrder& order) {
  settings();
  if (active()) conflict("a hole is in progress; PROBe:HOLE:ABORt ends it");
  demand_rest();
  parts_.demand_idle();
  const auto calibration = parts_.calibration();
  demand_gauge(order, *calibration);
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
  frame_id_ = frame_sha256_ = last_ = "";
  say(fmt::format("started at {:.3f} {:.3f} {:.3f} mm, radius {:.3f} mm, calibration {}, log {}",
                  order.center_mm.x(), order.center_mm.y(), order.center_mm.z(), order.radius_mm,
                  calibration_->id, log_.file().string()));
  enter_step(Step::started);
}

bool HoleProcedure::orders_gauge() const {
  return settings().gauge && is_gauge(*settings().gauge, order_.center_mm);
}

/// Why the gauge says nothing of the probe as it is now; empty: it held.
std::string HoleProcedure::gauge_doubt(const Calibration& calibration) const {
  if (!gauge_)
    return "the ring gauge was not measured since datumd started, and what was done to the probe before is "
           "not known";
  if (!gauge_->check.held) return fmt::format("the ring gauge did not hold on {}", gauge_->utc);
  if (gauge_->calibration_sha256 != calibration.sha256)
    return fmt::format("the ring gauge held on {}, under another calibration", gauge_->utc);
  const double age_h = static_cast<double>(EventLoop::now() - gauge_->at_ns) / 3600e9;
  if (age_h > settings().gauge_valid_h)
    return fmt::format("the ring gauge held on {}, {:.2f} h ago, and valid_h is {:g}", gauge_->utc, age_h,
                       settings().gauge_valid_h);
  return "";
}

/// The touches of a hole can't show a wrong radius of the tip.
void HoleProcedure::demand_gauge(const HoleOrder& order, const Calibration& calibration) const {
  const auto& gauge = settings().gauge;
  if (!gauge || is_gauge(*gauge, order.center_mm)) return;
  if (const std::string why = gauge_doubt(calibration); !why.empty())
    conflict(
        fmt::format("{} (holes.ring_gauge): measure the gauge first, a hole at {:.3f} {:.3f} {:.3f} mm "
                    "of radius {:.4f} mm",
                    why, gauge->center_mm.x(), gauge->center_mm.y(), gauge->center_mm.z(), gauge->radius_mm));
}

/// The bias of earlier holes holds while the calibration does.
void HoleProcedure::take_up_run() {
  if (run_) return;
  run_.emplace(hybrid_settings());
  log_.begin(settings().logs, iso8601_from_utc(parts_.utc_ns() / 1'000'000'000));
  log_.write(*run_);
}

void HoleProcedure::scan() {
  if (step_ != Step::started)
    conflict(active() ? "it is " + step() + "; PROBe:HOLE:ABORt"
                      : "no hole is in progress; PROBe:HOLE:STARt");
  if (parts_.calibration()->sha256 != calibration_->sha256)
    conflict("another calibration became current; PROBe:HOLE:ABORt, then start anew");
  const MonotonicNs now = EventLoop::now();
  parts_.frames.begin(now);  // what lies there already is seen before
  scan_asked_ns_ = now;
  stare_.start(now);
  parts_.cmm->poll_soon(now);
  frame_due_ = now + MonotonicNs{parts_.config.frame_timeout_ms} * 1'000'000;
  enter_step(Step::scanning);
}

void HoleProcedure::enter() {
  if (step_ != Step::probing || run_->probe().state() != HybridProbe::State::approach)
    conflict("it is " + step() + ", not APPROACH; PROBe:HOLE:STATe? says what is next");
  demand_rest();
  if (!mover()) return await(Awaited::entry);
  const auto moves = this->moves();
  way_.assign(moves.begin(), moves.end());
  drive();
}

void HoleProcedure::touch() {
  if (step_ != Step::probing || run_->probe().state() != HybridProbe::State::touching)
    conflict("it is " + step() + ", not TOUCHING; PROBe:HOLE:STATe? says what is next");
  demand_rest();
  const auto moves = this->moves();
  await(Awaited::touch);
  if (!mover()) return;
  way_.assign(moves.begin(), moves.end());
  drive();
}

void HoleProcedure::demand_rest() const {
  if (pending()) conflict("it waits for the probe already; wait, or PROBe:HOLE:ABORt");
}

/// A probe in the hole is free: only a machine that stands still says where.
void HoleProcedure::await(Awaited what) {
  TouchSettings s;
  s.rule = what == Awaited::entry ? TouchRule::stand_still : parts_.config.cmm->touch;
  s.timeout_ms = settings().timeout_ms;
  s.latency_ms = parts_.config.cmm->pairing.latency_ms;
  touches_.emplace(s);
  awaited_ = what;
  const MonotonicNs now = EventLoop::now();
  parts_.cmm->listen(s.rule == TouchRule::latched, now);
  touches_->ask(now);
  parts_.cmm->poll_soon(now);
  parts_.changed();
}

void HoleProcedure::stop_waiting() {
  if (touches_) touches_->abort();
  awaited_ = Awaited::nothing;
  stare_.abort();
  frame_due_.reset();
  snapshot_.reset();
  if (parts_.cmm) parts_.cmm->listen(false, EventLoop::now());
}

void HoleProcedure::abort() {
  stop_moving("aborted");
  if (active()) {
    stop_waiting();
    if (step_ == Step::probing) run_->abort(EventLoop::now());
    record();
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

std::vector<HoleMove> HoleProcedure::moves() const {
  std::vector<HoleMove> moves;
  if (step_ != Step::probing) return moves;
  const Eigen::Matrix3d scales_from_machine = calibration_->stage.a.inverse();
  for (const ProbeMove& move : run_->probe().moves())
    moves.push_back({move.until_contact, scales_from_machine * move.to_mm});
  return moves;
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
    lines.push_back(entering ? entering_text(mover() != nullptr)
                             : fmt::format("round {}, touch {} of {}: PROBe:HOLE:TOUCh{}", probe.round(),
                                           probe.touches().size() + 1, probe.touches_of_round(),
                                           mover() ? " goes" : ", then to the wall and back"));
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
  if (step_ == Step::ended && settings().gauge && gauge_ && !orders_gauge())
    lines.push_back(fmt::format("{}, on {}", gauge_->check.words, gauge_->utc));
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

}  // namespace datum
