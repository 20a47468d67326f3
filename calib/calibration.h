// A stored calibration: the transform from sensor to machine coordinates, its origin and its validity.
#pragma once

#include <Eigen/Core>
#include <array>
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

/// Residual of one face of the artefact, from both devices.
struct FeatureResidual {
  std::string feature;
  std::int64_t points = 0;
  double rms_um = 0;
};

/// Temperature of the calibration, and the range in which it is valid.
struct TemperatureWindow {
  double measured_degc = 0, min_degc = 0, max_degc = 0;
};

/// A reported temperature of the cell, and its time.
struct TemperatureReading {
  double degc = 0;
  std::int64_t utc_s = 0;
};

/// Position of a rotary head that carries the sensor: a calibration made there holds there alone.
struct HeadPosition {
  std::string name;                        // letters, digits, '_' and '-'
  std::array<double, 3> angles_deg{};      // A, B, C at the calibration, as the machine states them
  double tolerance_deg = 0;                // how far each of them may lie from that
  double u_turn_mdeg = 0, u_shift_um = 0;  // standard uncertainties of returning; they are in the covariance
};

bool is_head_name(const std::string& name);
inline constexpr const char* head_name_rule = "1 to 32 letters, digits, '_' and '-'";

struct Calibration {
  std::string id;  // letters, digits, '.', '_' and '-'; also the file's name
  std::string sensor_serial;
  std::string date;  // ISO 8601, as stored
  std::int64_t made_utc_s = 0;
  std::int64_t expires_utc_s = 0;
  CalibrationMethod method = CalibrationMethod::imported;
  std::string operator_name;
  std::string software;                          // that produced it
  std::string artefact_serial, drawing_sha256;   // empty where it was imported
  std::optional<TemperatureWindow> temperature;  // none: no temperature is demanded
  std::optional<HeadPosition> head;              // none: the head can't be turned
  double residual_rms_um = 0;
  std::vector<FeatureResidual> residuals;
  Htm<Machine, Sensor> machine_from_sensor;  // at q = stage.q_cal_mm
  Matrix6d covariance = Matrix6d::Zero();    // as in HtmEstimate: rad^2, rad mm, mm^2, machine axes
  StageModel stage;
  StageUncertainty stage_u;                                  // 0 where not stated
  Eigen::Vector3d squareness_rad = Eigen::Vector3d::Zero();  // xy, xz, yz: from which stage.a is computed
  Eigen::Vector3d scale_ppm = Eigen::Vector3d::Zero();
  std::string sha256;  // of the content, equal to the file's checksum: its identity in a verdict
  std::filesystem::path file;

  /// machine_from_sensor with the stage at q_mm.
  Htm<Machine, Sensor> at(const Eigen::Vector3d& q_mm) const;
};

/// Reads one TOML calibration. Throws config::ConfigError (place, key, allowed). The checksum is verified
/// last, so that a typing error in a key is reported as such. `parser` parses the file; null: in this
/// process.
Calibration load_calibration(const std::filesystem::path& file, const config::TomlParser* parser = nullptr);

/// The calibration as file text with its checksum; load_calibration returns the same values. Comments and
/// layout of a file that was read are not kept.
std::string to_toml(const Calibration& calibration);

/// The checksum in that text.
std::string checksum_of(const Calibration& calibration);

/// The text of a hand-written file that has every key, with its checksum in place of any; comments and layout stay. Its method
/// becomes "imported" by `operator_name`. Throws as load_calibration does, but not for the checksum.
std::string sealed(const std::filesystem::path& file, const std::string& operator_name);

/// Why this calibration must not be used now for this sensor, with the remedy; empty where it may be used.
std::string refusal(const Calibration& calibration, const std::string& sensor_serial, std::int64_t now_utc_s);

/// Why it must not be used with the head at these angles (none: the machine states none); empty where it may. Angles are compared
/// within a turn: -180 degrees are 180.
std::string head_refusal(const Calibration& calibration,
                         const std::optional<std::array<double, 3>>& angles_deg);

/// Why it must not be used at this temperature; empty where it may, or where it demands none. A reading older
/// than max_age_s does not count.
std::string temperature_refusal(const Calibration& calibration,
                                const std::optional<TemperatureReading>& reading, std::int64_t now_utc_s,
                                std::int64_t max_age_s);

}  // namespace datum
