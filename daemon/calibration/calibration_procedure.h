// CalibrationProcedure: a calibration with an artefact, step by step, from its first touch to its acceptance.
//
//   IDLE -start-> COLLECTING -touch-> TOUCHING -> COLLECTING -scan-> SCANNING -> COLLECTING -solve-> SOLVING -> SOLVED
//
// Everything runs on the loop's thread; reading a frame, finding the faces in it and the arithmetic run on the
// worker's. Every step goes to a log, one JSON line each, in the folder of calibrations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/utc_time.h"
#include "daemon/calibration/awaited_touch.h"
#include "daemon/calibration/calibration_archive.h"
#include "daemon/calibration/calibration_log.h"
#include "daemon/calibration/calibration_session.h"
#include "daemon/calibration/frame_scan.h"
#include "daemon/instrument/calibrator.h"

namespace datum {

struct CalibrationProcedureDependencies : ProcedureDependencies {
  std::function<void()> reload;  // another calibration is current
  std::function<bool()> cell_is_idle;
};

class CalibrationProcedure final : public Calibrator {
 public:
  explicit CalibrationProcedure(CalibrationProcedureDependencies parts);

  bool active() const { return step_ != Step::idle; }
  /// A touch, a frame or the arithmetic is awaited.
  bool pending() const {
    return step_ == Step::touching || step_ == Step::scanning || step_ == Step::solving;
  }
  /// The sensor may expose.
  bool awaits_frame() const { return scan_.awaits_frame(); }

  // Calibrator
  void start(const std::string& artefact, const std::string& operator_name, double degc) override;
  void touch(const std::string& face) override;
  void forget(const std::string& face) override;
  void scan() override;
  void solve() override;
  void accept() override;
  void accept(const std::string& id, const std::string& operator_name) override;
  void verify() override;
  void withdraw(const std::string& operator_name, const std::string& why) override;
  void abort() override;
  std::string step() const override;
  std::vector<std::string> report() const override;

  // from the cell's links and its loop
  void position(const ProbePoint& sample, MonotonicNs now);
  void latched(const ProbePoint& sample, MonotonicNs now) { touch_.latched(sample, now); }
  void after_round(MonotonicNs now) { scan_.after_round(now); }
  std::optional<MonotonicNs> deadline() const;
  void on_deadline(MonotonicNs now);

 private:
  enum class Step { idle, collecting, touching, scanning, solving, solved };

  void enter(Step step);
  void tell_accepted(const Calibration& calibration) const;
  void demand(bool collecting) const;
  const CalibrateSettings& settings() const;
  Face face_of(const std::string& name) const;
  ArtefactDrawing drawing_of(const std::string& artefact) const;
  std::string other_head(const Touch& touch);
  void touch_ended(const TouchSource& touch);
  void scan_ended(const FrameScan::Result& result, FacePoints faces);
  void solve_ended(const std::string& why);
  void journal(JournalEvent event, const Calibration& calibration, const std::string& operator_name,
               const std::string& note);
  /// A file of this calibration, beside its log.
  std::filesystem::path beside(const std::string& ending) const;
  void write_page(const std::string& outcome);
  /// Writes to the log; one that can't be written is told to every host and ends nothing.
  template <class Write>
  void record(Write write) {
    try {
      write(iso8601_from_utc(utc_s()));
    } catch (const CalibrationError& error) {
      parts_.raise(-250, error.what());
    }
  }
  void say(const std::string& text) { parts_.log(5, "calibration: " + text); }
  std::int64_t utc_s() const { return parts_.utc_ns() / 1'000'000'000; }

  CalibrationProcedureDependencies parts_;
  CalibrationArchive archive_;
  CalibrationLog log_;
  Step step_ = Step::idle;
  std::shared_ptr<CalibrationSession> session_;
  Face touching_ = Face::lp;
  std::optional<std::array<double, 3>> touched_at_deg_;  // the head, at the first touch
  AwaitedTouch touch_;
  FrameScan scan_;
  std::string last_;  // what the last step came to
};

}  // namespace datum
