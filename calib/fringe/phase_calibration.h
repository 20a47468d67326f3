// A stored phase-to-height calibration of a fringe sensor: the model, where it came from and until when it holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/fringe/phase_fit.h"
#include "drivers/frame/frame_reader.h"
#include "drivers/frame/fringe_settings.h"

namespace datum {

/// A step with the raw set that it was measured by.
struct CalibratedStep {
  StepResidual residual;
  std::string frame_id, content_sha256;
};

struct PhaseCalibration {
  std::string id;  // letters, digits, '.', '_' and '-'
  std::string sensor_serial;
  std::int64_t made_utc_s = 0, expires_utc_s = 0;
  std::string operator_name, software;
  std::optional<TemperatureWindow> temperature;  // none: no window is demanded
  std::vector<double> periods_px;                // of the projector's fringes, as the profile had them
  double projector_px = 0;
  PhaseFitSettings settings;
  double lsb_um = 0.01;  // of the heights that it makes
  std::uint32_t columns = 0, rows = 0;
  std::vector<HeightNode> nodes;  // per_px NaN: not calibrated
  std::vector<float> node_u_um;
  std::vector<CalibratedStep> steps;
  double residual_rms_um = 0, u_model_um = 0;
  std::string sha256;  // of the content, as the file's checksum states it: its identity in a verdict
  std::filesystem::path file;

  /// Borrows the nodes.
  HeightModel model() const;
};

/// Reads one. Throws config::ConfigError (place, key, allowed); the last thing looked at is the checksum.
PhaseCalibration load_phase_calibration(const std::filesystem::path& file);

/// The file's text, checksum included: load_phase_calibration of it gives the same values.
std::string to_toml(const PhaseCalibration& calibration);
std::string checksum_of(const PhaseCalibration& calibration);

/// Why it must not be used with this sensor and these settings, whatever the time; empty: it may.
std::string mismatch(const PhaseCalibration& calibration, const std::string& sensor_serial,
                     const FringeSettings& settings);

/// Why it must not be used now; empty: it may. In words, with the remedy.
std::string refusal(const PhaseCalibration& calibration, const CellMoment& now);

}  // namespace datum
