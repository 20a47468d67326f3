// What the cell's links bring to the desk: touches, positions, the frame.
#include <fmt/format.h>

#include "calib/artefact/segmentation.h"
#include "config/utc_time.h"
#include "daemon/calibration/calibration_picture.h"
#include "daemon/calibration/calibration_procedure.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

struct CalibrationProcedure::Snapshot {
  ClaimedFrame claim;
  std::optional<FrameIdentity> identity;
  FacePoints faces;
  std::string error;              // why it is no scan
  std::filesystem::path picture;  // to be drawn
  std::string title, picture_problem;
  bool done = false;
};

namespace {

template <class Snapshot>
void draw(Snapshot& s, const HeightFrame& frame, const std::vector<std::int8_t>& face_of) {
  try {
    draw_scan(frame, face_of, s.title + ", frame " + frame.frame_id).write_png(s.picture);
  } catch (const std::exception& error) {
    s.picture_problem = error.what();
  }
}

/// For the worker. Never throws.
template <class Snapshot>
void read_faces(Snapshot& s, const SensorProfile& sensor, const ArtefactDrawing& drawing) {
  try {
    const DroppedFrame dropped = load_frame(s.claim, sensor);
    s.identity = dropped.identity;
    try {
      Segmentation found = segment(dropped.frame, drawing);
      draw(s, dropped.frame, found.face_of);
      s.faces = std::move(found.faces);
    } catch (const SegmentationRefused&) {
      draw(s, dropped.frame, {});  // an operator sees what the sensor saw
      throw;
    }
  } catch (const std::exception& error) {
    s.error = error.what();
  }
}

}  // namespace

bool CalibrationProcedure::awaits_frame() const {
  return step_ == Step::scanning && stare_.step() == StareSession::Step::wait_frame && !snapshot_;
}

void CalibrationProcedure::position(const ProbePoint& sample, MonotonicNs now) {
  if (step_ == Step::touching) {
    touches_->position(sample, now);
    if (touches_->finished()) return touch_ended();
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

void CalibrationProcedure::latched(const ProbePoint& sample, MonotonicNs now) {
  if (step_ != Step::touching) return;
  touches_->latched(sample, now);
  if (touches_->finished()) touch_ended();
}

void CalibrationProcedure::touch_ended() {
  parts_.cmm->listen(false, EventLoop::now());
  const std::string face = name_of(touching_);
  if (touches_->step() == TouchSource::Step::failed) {
    last_ = "no touch of " + face + ": " + touches_->why();
    enter(Step::collecting);
    parts_.raise(scpi::calibration_failed, last_);
    return;
  }
  const Touch& t = touches_->touch();
  const Eigen::Vector3d centre(t.position_mm.data());
  session_->touched(touching_, centre);
  record([&](const std::string& utc) { log_.touched(utc, touching_, centre, t.spread_um); });
  last_ = fmt::format("touched {} at {:.4f} {:.4f} {:.4f} mm", face, centre[0], centre[1], centre[2]);
  enter(Step::collecting);
}

void CalibrationProcedure::after_round(MonotonicNs now) {
  if (!awaits_frame() || parts_.worker.busy()) return;
  while (auto claim = parts_.frames.next()) {
    if (claim->first_seen_ns > scan_asked_ns_ && !claim->left_over) return take_frame(*claim, now);
    parts_.frames.failed(*claim, "arrived before CALibration:SCAN; the sensor must expose after it");
  }
}

void CalibrationProcedure::take_frame(const ClaimedFrame& claim, MonotonicNs now) {
  snapshot_ = std::make_shared<Snapshot>();
  snapshot_->claim = claim;
  snapshot_->picture = beside("_scan.png");
  snapshot_->title = "artefact " + session_->drawing().serial;
  frame_due_.reset();
  stare_.frame_arrived(now);
  parts_.cmm->poll_soon(now);
  parts_.worker.submit([s = snapshot_, &sensor = parts_.sensor,
                        session = session_] { read_faces(*s, sensor, session->drawing()); },
                       [this, s = snapshot_] { frame_read(s); });
}

void CalibrationProcedure::frame_read(const std::shared_ptr<Snapshot>& s) {
  if (s->error.empty() && parts_.frames.is_duplicate(*s->identity)) {
    // An old frame shows where the stage stood then.
    s->error = "frame " + s->identity->frame_id + " was delivered before; let the sensor expose anew";
    parts_.frames.duplicate(s->claim, *s->identity);
  } else if (s->error.empty()) {
    parts_.frames.measured(s->claim, *s->identity);
  } else {
    parts_.frames.failed(s->claim, s->error);
  }
  if (!s->picture_problem.empty()) parts_.log(4, "no picture: " + s->picture_problem);
  if (s != snapshot_) return;  // aborted
  s->done = true;
  scan_ended();
}

/// Both the frame and the positions around it have come, or one of them can't.
void CalibrationProcedure::scan_ended() {
  const bool failed = stare_.step() == StareSession::Step::failed;
  if (snapshot_ && !snapshot_->done) return;
  if (snapshot_ && !snapshot_->error.empty()) return fail_scan(snapshot_->error);
  if (failed) return fail_scan(stare_.result().detail);
  if (!snapshot_ || stare_.step() != StareSession::Step::done) return;
  ArtefactScan scan;
  scan.faces.points = std::move(snapshot_->faces);
  scan.faces.q_mm = Eigen::Vector3d(stare_.result().after.position_mm.data());
  scan.frame_id = snapshot_->identity->frame_id;
  scan.frame_sha256 = snapshot_->identity->content_sha256;
  scan.delivery = snapshot_->claim.name();
  snapshot_.reset();
  record([&](const std::string& utc) { log_.scanned(utc, scan); });
  last_ = "scanned: frame " + scan.frame_id;
  session_->scanned(std::move(scan));
  enter(Step::collecting);
}

void CalibrationProcedure::fail_scan(const std::string& why) {
  stare_.abort();
  frame_due_.reset();
  snapshot_.reset();
  record([&](const std::string& utc) { log_.noted(utc, "refused", why); });
  last_ = "no scan: " + why;
  enter(Step::collecting);
  parts_.raise(scpi::calibration_failed, last_);
}

std::optional<MonotonicNs> CalibrationProcedure::deadline() const {
  if (step_ == Step::touching) return touches_->deadline();
  if (step_ != Step::scanning) return std::nullopt;
  const auto stare = stare_.deadline();
  if (!stare || !frame_due_) return stare ? stare : frame_due_;
  return std::min(*stare, *frame_due_);
}

void CalibrationProcedure::on_deadline(MonotonicNs now) {
  if (step_ == Step::touching) {
    touches_->on_deadline(now);
    if (touches_->finished()) touch_ended();
    return;
  }
  if (step_ != Step::scanning) return;
  stare_.on_deadline(now);
  if (frame_due_ && now >= *frame_due_) {
    return fail_scan(fmt::format("no frame came within {} ms; check the sensor and {}",
                                 parts_.config.frame_timeout_ms, parts_.frames.place()));
  }
  scan_ended();
}

}  // namespace datum
