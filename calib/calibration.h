// A stored calibration: the transform from sensor to machine coordinates, where it came from and until when
// it holds.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calib/htm_estimate.h"
#include "calib/stage.h"

namespace datum {

namespace config {
class TomlParser;
}

enum class CalibrationMethod : std::uint8_t { angled_slot, lines, sphere, imported };
const char* name_of(CalibrationMethod method);  // as in the file: "angled-slot", ...

/// What one feature of the artefact left over, from both devices.
struct FeatureResidual {
  std::string feature;
  std::int64_t points = 0;
  double rms_um = 0;
};

/// At which temperature it was made, and between which ones it holds.
struct TemperatureWindow {
  double measured_degc = 0, min_degc = 0, max_degc = 0;
};

/// What somebody said of the cell's temperature, and when.
struct TemperatureReading {
  double degc = 0;
  std::int64_t utc_s = 0;
};

struct Calibration {
  std::string id;  // letters, digits, '.', '_' and '-'; the file is named by it
  std::string sensor_serial;
  std::string date;  // ISO 8601, as stored
  std::int64_t made_utc_s = 0;
  std::int64_t expires_utc_s = 0;
  CalibrationMethod method = CalibrationMethod::imported;
  std::string operator_name;
  std::string software;                          // that made it
  std::string artefact_serial, drawing_sha256;   // empty where it was imported
  std::optional<TemperatureWindow> temperature;  // none: no window is demanded
  double residual_rms_um = 0;
  std::vector<FeatureResidual> residuals;
  Htm<Machine, Sensor> machine_from_sensor;  // at q = stage.q_cal_mm
  Matrix6d covariance = Matrix6d::Zero();    // as of HtmEstimate: rad^2, rad mm, mm^2, machine axes
  StageModel stage;
  StageUncertainty stage_u;                                  // 0 where nobody stated it
  Eigen::Vector3d squareness_rad = Eigen::Vector3d::Zero();  // xy, xz, yz: what stage.a is made of
  Eigen::Vector3d scale_ppm = Eigen::Vector3d::Zero();
  std::string sha256;  // of the content, as the file's checksum states it: its identity in a verdict
  std::filesystem::path file;

  /// machine_from_sensor with the stage at q_mm.
  Htm<Machine, Sensor> at(const Eigen::Vector3d& q_mm) const;
};

/// Reads one TOML calibration. Throws config::ConfigError (place, key, allowed); the last thing looked at is the
/// checksum, so that a slip in a key is told as what it is.
/// `parser` parses it; null: this process.
Calibration load_calibration(const std::filesystem::path& file, const config::TomlParser* parser = nullptr);

/// The file's text of a calibration, checksum included: load_calibration of it gives the same values. Comments
/// and layout of a file that was read are not kept.
std::string to_toml(const Calibration& calibration);

/// The checksum in that text: the identity of the content.
std::string checksum_of(const Calibration& calibration);

/// The same for a file that somebody wrote by hand: with every key, and any checksum. It is then an "imported"
/// one by `operator_name`. Throws as load_calibration does, but for the checksum.
std::string sealed(const std::filesystem::path& file, const std::string& operator_name);

/// Why this calibration must not be used now for this sensor; empty where it may. In words, with the remedy.
std::string refusal(const Calibration& calibration, const std::string& sensor_serial, std::int64_t now_utc_s);

/// Why it must not be used at this temperature; empty where it may, or where it demands none. A reading older
/// than max_age_s is none.
std::string temperature_refusal(const Calibration& calibration,
                                const std::optional<TemperatureReading>& reading, std::int64_t now_utc_s,
                                std::int64_t max_age_s);

}  // namespace datum
