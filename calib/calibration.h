// A stored calibration: the transform from sensor to machine coordinates, where it came from and until when
// it holds.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>

#include "calib/stage.h"

namespace datum {

struct Calibration {
  std::string id;
  std::string sensor_serial;
  std::string date;  // ISO 8601, as stored
  std::int64_t made_utc_s = 0;
  std::int64_t expires_utc_s = 0;
  double residual_rms_um = 0;
  Htm<Machine, Sensor> machine_from_sensor;  // at q = stage.q_cal_mm
  StageModel stage;
  std::string file_sha256;
  std::filesystem::path file;

  /// machine_from_sensor with the stage at q_mm.
  Htm<Machine, Sensor> at(const Eigen::Vector3d& q_mm) const;
};

/// Reads one TOML calibration. Throws config::ConfigError (place, key, allowed) or CalibrationError.
Calibration load_calibration(const std::filesystem::path& file);

/// Why this calibration must not be used now for this sensor; empty where it may. In words, with the remedy.
std::string refusal(const Calibration& calibration, const std::string& sensor_serial, std::int64_t now_utc_s);

}  // namespace datum
