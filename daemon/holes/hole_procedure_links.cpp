// What the cell's links bring to the desk: touches, positions, the frame.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/utc_time.h"
#include "daemon/holes/hole_procedure.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

struct HoleProcedure::Snapshot {
  ClaimedFrame claim;
  std::optional<DroppedFrame> dropped;
  std::optional<HoleCandidate> hole;
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();  // where the stage stood
  std::string error;                               // why it is no scan
  bool read = false, sought = false;
};

bool HoleProcedure::awaits_frame() const {
  return step_ == Step::scanning && stare_.step() == StareSession::Step::wait_frame && !snapshot_;
}

void HoleProcedure::position(const ProbePoint& sample, MonotonicNs now) {
  if (awaited_ != Awaited::nothing) {
    touches_->position(sample, now);
    if (touches_->finished()) return touch_ended(now);
    if (touches_->wants_position()) parts_.cmm->poll_soon(now);
  } else if (step_ == Step::scanning && stare_.wants_position()) {
    stare_.position(sample, now);
    if (stare_.step() == StareSession::Step::wait_frame) {
      parts_.frames.expose(now);
      parts_.changed();  // the sensor may expose now
    }
    scan_ended();
  }
}

void HoleProcedure::latched(const ProbePoint& sample, MonotonicNs now) {
  if (awaited_ == Awaited::nothing) return;
  touches_->latched(sample, now);
  if (touches_->finished()) touch_ended(now);
}

void HoleProcedure::touch_ended(MonotonicNs now) {
  parts_.cmm->listen(false, now);
  const bool entry = awaited_ == Awaited::entry;
  awaited_ = Awaited::nothing;
  if (touches_->step() == TouchSource::Step::failed) {
    run_->touch_failed((entry ? "the probe's place is not known: " : "no touch: ") + touches_->why(), now);
  } else {
    const Eigen::Vector3d q_mm(touches_->touch().position_mm.data());
    const Eigen::Vector3d tip_mm = corrected_position(calibration_->stage, q_mm);
    entry ? run_->entered(tip_mm, now) : run_->touched(tip_mm, now);
    last_ = fmt::format("{} at {:.4f} {:.4f} {:.4f} mm", entry ? "entered" : "touched", q_mm.x(), q_mm.y(),
                        q_mm.z());
  }
  probe_moved_on();
}

/// After every input of the run: on the disk, and told where it ended.
void HoleProcedure::probe_moved_on() {
  record();
  const HybridProbe& probe = run_->probe();
  if (!probe.finished()) return enter_step(Step::probing);
  // After the last touch it still goes back to the middle and out of the hole; after anything else somebody must look first.
  probe.state() == HybridProbe::State::done ? leave_hole() : stop_moving(probe.why());
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

/// A gauge that could not be measured leaves as much doubt as one that reads wrong.
void HoleProcedure::check_gauge() {
  const HybridProbe& probe = run_->probe();
  gauge_ = {{}, EventLoop::now(), iso8601_from_utc(parts_.utc_ns() / 1'000'000'000), calibration_->sha256};
  if (probe.state() != HybridProbe::State::done) return;
  gauge_->check = compared(probe.hole(), *settings().gauge);
  const GaugeCheck& check = gauge_->check;
  last_ += "; " + check.words;
  say(check.words);
  try {
    log_.source(nlohmann::ordered_json{{"utc", gauge_->utc},
                                       {"ring_gauge_off_mm", check.off_mm},
                                       {"ring_gauge_u_mm", check.u_mm},
                                       {"ring_gauge_held", check.held}}
                    .dump());
  } catch (const HoleLogError& error) {
    parts_.raise(scpi::mass_storage_error, error.what());
  }
  if (!check.held) parts_.raise(scpi::execution_error, "hole: " + check.words);
}

/// A log that can't be written is told to every host and ends nothing.
void HoleProcedure::record() {
  try {
    log_.write(*run_);
  } catch (const HoleLogError& error) {
    parts_.raise(scpi::mass_storage_error, error.what());
  }
}

void HoleProcedure::after_round(MonotonicNs now) {
  if (!awaits_frame() || parts_.worker.busy()) return;
  while (auto claim = parts_.frames.next()) {
    if (claim->first_seen_ns > scan_asked_ns_ && !claim->left_over) return take_frame(*claim, now);
    parts_.frames.failed(*claim, "arrived before PROBe:HOLE:SCAN; the sensor must expose after it");
  }
}

void HoleProcedure::take_frame(const ClaimedFrame& claim, MonotonicNs now) {
  snapshot_ = std::make_shared<Snapshot>();
  snapshot_->claim = claim;
  frame_due_.reset();
  stare_.frame_arrived(now);
  parts_.cmm->poll_soon(now);
  parts_.worker.submit(
      [s = snapshot_, &sensor = parts_.sensor] {
        try {
          s->dropped = load_frame(s->claim, sensor);
        } catch (const std::exception& error) {
          s->error = error.what();
        }
      },
      [this, s = snapshot_] { frame_read(s); });
}

void HoleProcedure::frame_read(const std::shared_ptr<Snapshot>& s) {
  if (!s->error.empty()) {
    parts_.frames.failed(s->claim, s->error);
  } else if (parts_.frames.is_duplicate(s->dropped->identity)) {
    // An old frame shows where the stage stood then.
    s->error = "frame " + s->dropped->identity.frame_id + " was delivered before; let the sensor expose anew";
    parts_.frames.duplicate(s->claim, s->dropped->identity);
  } else {
    parts_.frames.measured(s->claim, s->dropped->identity);
  }
  if (s != snapshot_) return;  // aborted
  s->read = true;
  scan_ended();
}

/// Both the frame and the positions around it have come, or one of them can't.
void HoleProcedure::scan_ended() {
  if (snapshot_ && (!snapshot_->read || snapshot_->sought)) return;
  if (snapshot_ && !snapshot_->error.empty()) return fail_scan(snapshot_->error);
  if (stare_.step() == StareSession::Step::failed) return fail_scan(stare_.result().detail);
  if (!snapshot_ || stare_.step() != StareSession::Step::done) return;
  snapshot_->sought = true;
  snapshot_->q_mm = Eigen::Vector3d(stare_.result().after.position_mm.data());
  const HtmEstimate<Machine, Sensor> machine_from_sensor{calibration_->at(snapshot_->q_mm),
                                                         calibration_->covariance};
  const HoleNominal nominal{order_.center_mm, order_.radius_mm, order_.search_mm, order_.radius_tolerance_mm};
  HoleSearch search;
  const double height_mm = (machine_from_sensor.htm.inverse() * order_.center_mm).z();
  search.noise_sigma_mm = parts_.sensor.noise.sigma_um_at(height_mm) * 1e-3;
  search.edge_depth_mm = settings().edge_depth_mm;
  search.u_edge_mm = settings().u_edge_um * 1e-3;
  parts_.worker.submit(
      [s = snapshot_, machine_from_sensor, nominal, search] {
        try {
          s->hole = find_hole(s->dropped->frame, machine_from_sensor, nominal, search);
        } catch (const std::exception& error) {
          s->error = error.what();
        }
      },
      [this, s = snapshot_] { hole_sought(s); });
}

void HoleProcedure::hole_sought(const std::shared_ptr<Snapshot>& s) {
  if (s != snapshot_) return;  // aborted
  if (!s->error.empty()) return fail_scan(s->error);
  frame_id_ = s->dropped->identity.frame_id;
  frame_sha256_ = s->dropped->identity.content_sha256;
  try {
    log_.source(source_line(*s));
  } catch (const HoleLogError& error) {
    return fail_scan(error.what());  // a result that names nothing that made it is none
  }
  const HoleCandidate hole = *s->hole;
  last_ = fmt::format("found in frame {}: center {:.3f} {:.3f} mm, radius {:.3f} mm, {}", frame_id_,
                      hole.center_mm.x(), hole.center_mm.y(), hole.radius_mm, words_of(hole));
  snapshot_.reset();
  run_->scan(hole, EventLoop::now());
  probe_moved_on();
}

std::string HoleProcedure::source_line(const Snapshot& s) const {
  const auto list = [](const Eigen::Vector3d& v) { return nlohmann::ordered_json{v.x(), v.y(), v.z()}; };
  nlohmann::ordered_json line{{"utc", iso8601_from_utc(parts_.utc_ns() / 1'000'000'000)},
                              {"nominal_center_mm", list(order_.center_mm)},
                              {"nominal_radius_mm", order_.radius_mm},
                              {"search_mm", order_.search_mm},
                              {"radius_tolerance_mm", order_.radius_tolerance_mm},
                              {"frame", s.dropped->identity.frame_id},
                              {"frame_sha256", s.dropped->identity.content_sha256},
                              {"q_mm", list(s.q_mm)},
                              {"calibration", calibration_->id},
                              {"calibration_sha256", calibration_->sha256}};
  if (gauge_ && !orders_gauge())
    line["ring_gauge"] = {
        {"utc", gauge_->utc}, {"off_mm", gauge_->check.off_mm}, {"u_mm", gauge_->check.u_mm}};
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void HoleProcedure::fail_scan(const std::string& why) {
  stop_waiting();
  last_ = "no scan: " + why;
  enter_step(Step::started);
  parts_.raise(scpi::execution_error, last_);
}

std::optional<MonotonicNs> HoleProcedure::deadline() const {
  std::optional<MonotonicNs> first;
  const auto sooner = [&first](std::optional<MonotonicNs> at) {
    if (at && (!first || *at < *first)) first = at;
  };
  if (awaited_ != Awaited::nothing) sooner(touches_->deadline());
  if (step_ == Step::probing) sooner(run_->probe().deadline());
  if (step_ == Step::scanning) {
    sooner(stare_.deadline());
    sooner(frame_due_);
  }
  return first;
}

void HoleProcedure::on_deadline(MonotonicNs now) {
  if (awaited_ != Awaited::nothing) {
    touches_->on_deadline(now);
    if (touches_->finished()) return touch_ended(now);
  }
  if (step_ == Step::probing) {
    run_->on_deadline(now);
    if (run_->probe().finished()) probe_moved_on();
    return;
  }
  if (step_ != Step::scanning) return;
  stare_.on_deadline(now);
  if (frame_due_ && now >= *frame_due_)
    return fail_scan(fmt::format("no frame came within {} ms; check the sensor and {}",
                                 parts_.config.frame_timeout_ms, parts_.frames.place()));
  scan_ended();
}

}  // namespace datum
