// A stored phase-to-height calibration of a fringe sensor: its model, origin and validity.
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

/// A step and the raw set from which it was measured.
struct CalibratedStep {
  StepResidual residual;
  std::string frame_id, content_sha256;
};

struct PhaseCalibration {
  std::string id;  // letters, digits, '.', '_' and '-'
  std::string sensor_serial;
  std::int64_t made_utc_s = 0, expires_utc_s = 0;
  std::string operator_name, software;
  std::optional<TemperatureWindow> temperature;  // none: no temperature is demanded
  std::vector<double> periods_px;                // of the projector's fringes, as in the profile
  double projector_px = 0;
  PhaseFitSettings settings;
  double lsb_um = 0.01;  // of the resulting heights
  std::uint32_t columns = 0, rows = 0;
  std::vector<HeightNode> nodes;  // per_px NaN: not calibrated
  std::vector<float> node_u_um;
  std::vector<CalibratedStep> steps;
  double residual_rms_um = 0, u_model_um = 0;
  std::string sha256;  // of the content, equal to the file's checksum: its identity in a verdict
  std::filesystem::path file;

  /// Borrows the nodes.
  HeightModel model() const;
};

/// Reads one file. Throws config::ConfigError (place, key, allowed); the checksum is verified last.
PhaseCalibration load_phase_calibration(const std::filesystem::path& file);

/// The calibration as file text with its checksum; load_phase_calibration returns the same values.
std::string to_toml(const PhaseCalibration& calibration);
std::string checksum_of(const PhaseCalibration& calibration);

/// Why it does not fit this sensor and these settings, independent of time; empty: it fits.
std::string mismatch(const PhaseCalibration& calibration, const std::string& sensor_serial,
                     const FringeSettings& settings);

/// Why it must not be used now, as text with the remedy; empty: it may be used.
std::string refusal(const PhaseCalibration& calibration, const CellMoment& now);

}  // namespace datum
