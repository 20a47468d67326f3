// A calibration that is made from files: what was solved, with what the cell's configuration says of probe, axes and validity.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/touch/touched.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/calibrate_files.h"

namespace datum {

/// What an artefact's touches and frame came to.
struct SolvedFromFiles {
  CalibrationMethod method = CalibrationMethod::imported;
  std::string prefix;  // of its id: "spheres"
  std::string artefact_serial, drawing_sha256;
  HtmEstimate<Machine, Sensor> machine_from_sensor;  // with the stage where the frame was taken
  std::vector<FeatureResidual> residuals;
  double rms_um = 0;
};

/// The cell's configuration with its [calibration]. Throws CalibrationError, config::ConfigError.
DaemonConfig config_with_probe(const std::string& file);
Probe probe_of(const CalibrateSettings& settings);
/// Of the machine's axes, calibrated where the frame was taken. Throws std::invalid_argument.
StageModel stage_of(const FileSteps& steps, const CalibrateSettings& settings);

/// Refuses residuals beyond calibration.max_residual_um, `apart` saying what of; writes the calibration into the configuration's
/// folder, or to steps.output, never over a file; and prints it. Throws CalibrationError, std::invalid_argument,
/// std::runtime_error.
Verified store_solved(const FileSteps& steps, const DaemonConfig& config, const SensorProfile& sensor,
                      const SolvedFromFiles& solved, const StageModel& stage, const std::string& lines);

}  // namespace datum
