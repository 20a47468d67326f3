#include "daemon/calibration/calibration_procedure.h"

#include <fmt/format.h>

#include "calib/artefact/segmentation.h"
#include "calib/calibration_store.h"
#include "config/utc_time.h"
#include "daemon/calibration/calibration_page.h"
#include "daemon/calibration/calibration_picture.h"
#include "daemon/calibration/calibration_replay.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"
#include "daemon/version/version.h"

namespace datum {

namespace {

TouchSettings touch_settings(const ProcedureSettings& config) {
  TouchSettings s;
  if (!config.cmm || !config.calibrate) return s;
  s.rule = config.cmm->touch;
  s.timeout_ms = config.calibrate->touch_timeout_ms;
  s.latency_ms = config.cmm->pairing.latency_ms;
  return s;
}

[[noreturn]] void refuse(const std::string& why) { throw scpi::Error(scpi::calibration_failed, why); }

/// Draws what the sensor saw; a failure is logged, the scan stands.
struct ScanPicture {
  std::filesystem::path file;
  std::string title;
  LogSink log;

  void draw(const HeightFrame& frame, const std::vector<std::int8_t>& face_of) const {
    try {
      draw_scan(frame, face_of, title + ", frame " + frame.frame_id).write(file);
    } catch (const std::exception& error) {
      log(4, std::string("no picture: ") + error.what());
    }
  }
};

/// For the worker. Throws where the faces are not found; an operator sees what the sensor saw then, too.
FacePoints faces_in(const HeightFrame& frame, const ArtefactDrawing& drawing, const ScanPicture& picture) {
  try {
    Segmentation found = segment(frame, drawing);
    picture.draw(frame, found.face_of);
    return std::move(found.faces);
  } catch (const SegmentationRefused&) {
    picture.draw(frame, {});
    throw;
  }
}

}  // namespace

CalibrationProcedure::CalibrationProcedure(CalibrationProcedureDependencies parts)
    : parts_(std::move(parts)),
      archive_(parts_.config.calibrations),
      touch_(parts_.cmm, [this](const TouchSource& touch, MonotonicNs) { touch_ended(touch); }),
      scan_(parts_, "CALibration:SCAN") {
  std::error_code told_when_written;
  if (parts_.config.calibrate) std::filesystem::create_directories(archive_.folder(), told_when_written);
}

const CalibrateSettings& CalibrationProcedure::settings() const {
  if (!parts_.config.calibrate || !parts_.cmm)
    throw scpi::Error(
        scpi::hardware_missing,
        "the cell's configuration has no [calibration] and [cmm]; config/datumd.toml explains them");
  return *parts_.config.calibrate;
}

ArtefactDrawing CalibrationProcedure::drawing_of(const std::string& artefact) const {
  try {
    return find_drawing(settings().artefacts, artefact);
  } catch (const CalibrationError& error) {
    throw scpi::Error(scpi::file_name_not_found, error.what());
  }
}

void CalibrationProcedure::enter(Step step) {
  step_ = step;
  parts_.changed();
}

/// Refuses where no calibration is in progress, or where it waits for something.
void CalibrationProcedure::demand(bool collecting) const {
  if (!active())
    throw scpi::Error(scpi::settings_conflict, "no calibration is in progress; CALibration:STARt");
  if (collecting && pending())
    throw scpi::Error(scpi::settings_conflict, "it is " + step() + "; wait, or CALibration:ABORt");
}

Face CalibrationProcedure::face_of(const std::string& name) const {
  const auto face = face_named(name);
  if (!face) throw scpi::Error(scpi::illegal_parameter_value, "'" + name + "'; LP, RP, LL, LR, SU or SL");
  return *face;
}

void CalibrationProcedure::start(const std::string& artefact, const std::string& operator_name, double degc) {
  settings();
  if (active())
    throw scpi::Error(scpi::settings_conflict, "a calibration is in progress; CALibration:ABORt ends it");
  if (!parts_.cell_is_idle())
    throw scpi::Error(scpi::settings_conflict, "the cell is armed; ABORt disarms it");
  session_ = std::make_shared<CalibrationSession>(drawing_of(artefact), operator_name, degc,
                                                  machine_setup(settings()));
  log_.begin(archive_.folder(), iso8601_from_utc(utc_s()), *session_);
  say("started by " + operator_name + " with artefact " + artefact + ", log " + log_.file().string());
  last_.clear();
  enter(Step::collecting);
}

void CalibrationProcedure::touch(const std::string& face) {
  demand(true);
  touching_ = face_of(face);
  touch_.start(touch_settings(parts_.config), EventLoop::now());
  enter(Step::touching);
}

void CalibrationProcedure::forget(const std::string& face) {
  demand(true);
  session_->forget(face.empty() ? std::nullopt : std::optional(face_of(face)));
  record([&](const std::string& utc) { log_.forgot(utc, face); });
  enter(Step::collecting);
}

void CalibrationProcedure::touch_ended(const TouchSource& touches) {
  const std::string face = name_of(touching_);
  if (touches.step() == TouchSource::Step::failed) {
    last_ = "no touch of " + face + ": " + touches.why();
    enter(Step::collecting);
    parts_.raise(scpi::calibration_failed, last_);
    return;
  }
  const Touch& t = touches.touch();
  if (const std::string why = other_head(t); !why.empty()) {
    last_ = "no touch of " + face + ": " + why;
    enter(Step::collecting);
    parts_.raise(scpi::calibration_failed, last_);
    return;
  }
  const Eigen::Vector3d centre(t.position_mm.data());
  session_->touched(touching_, centre);
  record([&](const std::string& utc) { log_.touched(utc, touching_, centre, t.spread_um); });
  last_ = fmt::format("touched {} at {:.4f} {:.4f} {:.4f} mm", face, centre[0], centre[1], centre[2]);
  enter(Step::collecting);
}

void CalibrationProcedure::scan() {
  demand(true);
  const auto faces = std::make_shared<FacePoints>();
  const ScanPicture picture{beside("_scan.png"), "artefact " + session_->drawing().serial, parts_.log};
  scan_.start([faces, picture, session = session_](
                  DroppedFrame& dropped) { *faces = faces_in(dropped.frame, session->drawing(), picture); },
              [this, faces](const FrameScan::Result& result) { scan_ended(result, std::move(*faces)); },
              EventLoop::now());
  enter(Step::scanning);
}

void CalibrationProcedure::scan_ended(const FrameScan::Result& result, FacePoints faces) {
  if (!result.error.empty()) {
    record([&](const std::string& utc) { log_.noted(utc, "refused", result.error); });
    last_ = "no scan: " + result.error;
    enter(Step::collecting);
    parts_.raise(scpi::calibration_failed, last_);
    return;
  }
  ArtefactScan scan;
  try {
    scan.head = head_position(settings().head, result.head_deg);
  } catch (const CalibrationError& error) {
    FrameScan::Result refused = result;
    refused.error = error.what();
    return scan_ended(refused, {});
  }
  scan.faces.points = std::move(faces);
  scan.faces.q_mm = Eigen::Vector3d(result.q_mm.data());
  scan.frame_id = result.identity.frame_id;
  scan.frame_sha256 = result.identity.content_sha256;
  scan.delivery = result.claim.name();
  record([&](const std::string& utc) { log_.scanned(utc, scan); });
  last_ = "scanned: frame " + scan.frame_id;
  session_->scanned(std::move(scan));
  enter(Step::collecting);
}

void CalibrationProcedure::solve() {
  demand(true);
  const auto solution = std::make_shared<std::optional<CalibrationSolution>>();
  enter(Step::solving);
  parts_.worker.submit_fallible(
      [session = session_, solution, picture = beside("_residuals.png"),
       limit_um = settings().max_residual_um] {
        solution->emplace(session->reckoned());
        draw_residuals((*solution)->residuals, limit_um, "artefact " + session->drawing().serial)
            .write(picture);
      },
      [this, session = session_, solution](const std::string& why) {
        if (session != session_) return;  // aborted
        if (*solution) session_->solved(*std::move(*solution));
        solve_ended(why);
      });
}

void CalibrationProcedure::solve_ended(const std::string& why) {
  if (!why.empty()) {
    record([&](const std::string& utc) { log_.noted(utc, "refused", why); });
    last_ = "not solved: " + why;
    enter(Step::collecting);
    parts_.raise(scpi::calibration_failed, why);
    return;
  }
  record([&](const std::string& utc) { log_.solved(utc, *session_); });
  for (const std::string& line : session_->report()) say(line);
  last_.clear();
  enter(Step::solved);
}

void CalibrationProcedure::journal(JournalEvent event, const Calibration& c, const std::string& operator_name,
                                   const std::string& note) {
  JournalEntry entry;
  entry.event = event;
  entry.utc = iso8601_from_utc(utc_s());
  entry.to = "machine";
  entry.from = journal_from(c);
  entry.sensor_serial = c.sensor_serial;
  entry.calibration = c.id;
  entry.sha256 = c.sha256;
  entry.operator_name = operator_name;
  entry.note = note;
  archive_.append(entry);
  say(fmt::format("{} {} by {}: {}", name_of(event), c.id, operator_name, note));
  parts_.reload();
}

std::filesystem::path CalibrationProcedure::beside(const std::string& ending) const {
  return log_.file().parent_path() / (log_.file().stem().string() + ending);
}

/// What was accepted or verified stands without it.
void CalibrationProcedure::write_page(const std::string& outcome) {
  const PageContents facts{outcome,
                           iso8601_from_utc(utc_s()),
                           parts_.sensor.serial,
                           code_id(),
                           log_.file().filename().string(),
                           beside("_scan.png").filename().string(),
                           beside("_residuals.png").filename().string()};
  try {
    write_durably(beside(".html"), page_of(*session_, facts));
    last_ += "; page " + beside(".html").string();
  } catch (const CalibrationError& error) {
    parts_.log(4, std::string("no page: ") + error.what());
  }
}

void CalibrationProcedure::tell_accepted(const Calibration& c) const {
  parts_.log(5, fmt::format("calibration {} is accepted, until {}", c.id, iso8601_from_utc(c.expires_utc_s)),
             {Event::calibration_accepted, {{"DATUM_CALIBRATION", c.id}}});
}

void CalibrationProcedure::accept() {
  demand(true);
  try {
    const Calibration c = session_->calibration(parts_.sensor.serial, utc_s(), code_id(), settings());
    archive_.store(c);
    journal(
        JournalEvent::accept, c, session_->operator_name(),
        fmt::format("calibrated with artefact {}, residual {:.1f} um", c.artefact_serial, c.residual_rms_um));
    record([&](const std::string& utc) { log_.noted(utc, "accept", c.id + " " + c.sha256); });
    last_ = "accepted: " + c.id;
    tell_accepted(c);
    write_page("accepted as " + c.id + ", until " + iso8601_from_utc(c.expires_utc_s));
  } catch (const CalibrationError& error) {
    refuse(error.what());
  }
  session_.reset();
  enter(Step::idle);
}

void CalibrationProcedure::accept(const std::string& id, const std::string& operator_name) {
  if (!parts_.cell_is_idle())
    throw scpi::Error(scpi::settings_conflict, "the cell is armed; ABORt disarms it");
  try {
    const CalibrationStore store(archive_.folder(), parts_.texts);
    if (!store.journal_problem().empty()) refuse(store.journal_problem());
    const Calibration& c = store.find(id);
    const std::string why = refusal(c, parts_.sensor.serial, utc_s());
    if (!why.empty()) refuse(why);
    journal(JournalEvent::accept, c, operator_name, fmt::format("of the folder, {}", name_of(c.method)));
    tell_accepted(c);
  } catch (const CalibrationError& error) {
    refuse(error.what());
  }
}

void CalibrationProcedure::verify() {
  demand(true);
  Drift drift;
  try {
    const CalibrationStore store(archive_.folder(), parts_.texts);
    if (!store.journal_problem().empty()) refuse(store.journal_problem());
    if (!session_->scan()) refuse("there is no scan: CALibration:SCAN");
    Calibration here;
    here.head = session_->scan()->head;
    const auto current = store.journal().current("machine", journal_from(here), parts_.sensor.serial);
    if (!current)
      refuse("no calibration of sensor " + parts_.sensor.serial + " is current" +
             (here.head ? " at the head's position " + here.head->name : "") + "; accept this one");
    const Calibration& c = store.find(current->calibration);
    drift = session_->drift_from(c, {settings().drift_limit_um, settings().drift_limit_mdeg});
    if (drift.untold) {
      last_ = "whether " + c.id + " holds is not known, U exceeds its limit: " + drift.words;
      record([&](const std::string& utc) { log_.noted(utc, "verify", last_); });
      write_page(last_);
      enter(Step::solved);
      refuse(last_ +
             "; touch the faces more often, scan with less noise, or widen calibration.drift_limit_um and "
             "drift_limit_mdeg");
    }
    journal(drift.drifted ? JournalEvent::drift : JournalEvent::verified, c, session_->operator_name(),
            drift.words);
    last_ = (drift.drifted ? c.id + " has drifted: " : c.id + " holds: ") + drift.words;
    if (drift.drifted)
      parts_.log(3, last_,
                 {Event::calibration_drifted, {{"DATUM_CALIBRATION", c.id}, {"DATUM_REASON", drift.words}}});
    record([&](const std::string& utc) { log_.noted(utc, "verify", last_); });
    write_page(last_);
  } catch (const CalibrationError& error) {
    refuse(error.what());
  }
  enter(Step::solved);
  if (drift.drifted) refuse(last_ + "; accept this calibration, or remove the cause");
}

void CalibrationProcedure::abort() {
  if (!active()) return;
  touch_.abort(EventLoop::now());
  scan_.abort();
  record([&](const std::string& utc) { log_.noted(utc, "abort", step()); });
  say("aborted");
  last_ = "aborted";
  session_.reset();
  enter(Step::idle);
}

std::string CalibrationProcedure::step() const {
  static constexpr const char* names[] = {"IDLE", "COLLECTING", "TOUCHING", "SCANNING", "SOLVING", "SOLVED"};
  return names[static_cast<int>(step_)];
}

std::vector<std::string> CalibrationProcedure::report() const {
  std::vector<std::string> lines;
  if (session_) lines = session_->report();
  if (step_ == Step::touching) lines.push_back(fmt::format("waiting for a touch of {}", name_of(touching_)));
  if (step_ == Step::scanning)
    lines.push_back(awaits_frame() ? "waiting for the frame" : "waiting for the stage's position");
  if (!last_.empty()) lines.push_back(last_);
  return lines;
}

void CalibrationProcedure::position(const ProbePoint& sample, MonotonicNs now) {
  touch_.active() ? touch_.position(sample, now) : scan_.position(sample, now);
}

std::optional<MonotonicNs> CalibrationProcedure::deadline() const {
  return touch_.active() ? touch_.deadline() : scan_.deadline();
}

void CalibrationProcedure::on_deadline(MonotonicNs now) {
  touch_.active() ? touch_.on_deadline(now) : scan_.on_deadline(now);
}

}  // namespace datum
