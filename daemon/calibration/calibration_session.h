// One calibration from its start to its end: what was touched and seen, and what came of it. Values only: it knows
// no link, file or clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calib/drift.h"
#include "calib/solve/calibration_solve.h"
#include "daemon/calibration/calibrate_settings.h"

namespace datum {

/// A snapshot of the artefact, with what it was taken from.
struct ArtefactScan {
  ScannedFaces faces;
  std::string frame_id, frame_sha256;
  std::string delivery;                // name of the file that the sensor delivered it by
  std::optional<HeadPosition> head{};  // at which it was taken
};

class CalibrationSession {
 public:
  CalibrationSession(ArtefactDrawing drawing, std::string operator_name, double degc,
                     const MachineSetup& machine)
      : drawing_(std::move(drawing)),
        operator_name_(std::move(operator_name)),
        degc_(degc),
        machine_(machine) {}

  const ArtefactDrawing& drawing() const { return drawing_; }
  const std::string& operator_name() const { return operator_name_; }
  double degc() const { return degc_; }

  /// Tip centre in mm, as the machine's scales read it. What was solved holds no more.
  void touched(Face face, const Eigen::Vector3d& centre_mm);
  void forget(const std::optional<Face>& face);
  void scanned(ArtefactScan scan);
  /// Throws FitRefused: too little, or nothing that fits the drawing.
  void solve();
  /// The same in two steps, where the arithmetic runs elsewhere: solved(reckoned()).
  CalibrationSolution reckoned() const;
  void solved(CalibrationSolution solution) { solution_ = std::move(solution); }

  const FaceTouches& touches() const { return touches_; }
  const std::optional<ArtefactScan>& scan() const { return scan_; }
  const std::optional<CalibrationSolution>& solution() const { return solution_; }

  /// Of what was solved, to be stored. Throws CalibrationError where nothing was, or where a finding forbids it.
  Calibration calibration(const std::string& sensor_serial, std::int64_t now_utc_s,
                          const std::string& software, const CalibrateSettings& settings) const;
  /// Of what was solved against the current one. Throws CalibrationError as calibration() does.
  Drift drift_from(const Calibration& current, const DriftLimits& limits) const;

  /// What is there and what is needed, for an operator.
  std::vector<std::string> report() const;

 private:
  void check_acceptable() const;

  ArtefactDrawing drawing_;
  std::string operator_name_;
  double degc_;
  MachineSetup machine_;
  FaceTouches touches_;
  std::optional<ArtefactScan> scan_;
  std::optional<CalibrationSolution> solution_;
};

/// The position of the head at these angles, with the angles as they are. None: neither settings nor machine have a head. Throws
/// CalibrationError where they stand at none of the settings' positions.
std::optional<HeadPosition> head_position(const std::optional<HeadSettings>& settings,
                                          const std::optional<std::array<double, 3>>& angles_deg);

/// [calibration] as the arithmetic takes it.
MachineSetup machine_setup(const CalibrateSettings& settings);

}  // namespace datum
