#include "calib/calibration.h"

#include "calib/utc_time.h"
#include "config/toml_reader.h"

namespace datum {

namespace {

constexpr std::int64_t schema = 1;

std::int64_t utc(config::TomlTable& file, const char* key) {
  const std::string text = file.text(key);
  const auto utc_s = utc_from_iso8601(text);
  if (!utc_s) {
    file.refuse(key, "'" + text + "' is not a time",
                "ISO 8601 in UTC to the second, such as 2026-03-01T08:30:00Z");
  }
  return *utc_s;
}

std::string name(config::TomlTable& file, const char* key) {
  std::string text = file.text(key);
  if (text.empty()) file.refuse(key, "is empty", "a text of at least one character");
  return text;
}

Htm<Machine, Sensor> transform(config::TomlTable& file, const char* key) {
  const std::vector<double> m = file.numbers(key, 16);
  try {
    return Htm<Machine, Sensor>(
        Eigen::Matrix4d(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data())));
  } catch (const CalibrationError& error) {
    file.refuse(
        key, error.what(),
        "a rigid motion from right-handed sensor coordinates (a left-handed sensor is mirrored at ingest), "
        "16 numbers row by row, lengths in mm");
  }
}

StageModel stage_model(config::TomlTable stage) {
  StageModel model;
  model.q_cal_mm = Eigen::Map<const Eigen::Vector3d>(stage.numbers("q_cal_mm", 3).data());
  // Above 0.1 rad or 10 % it is a typing error (unit, decimal point), not a machine.
  const config::Range squareness{-0.1, 0.1};
  const double xy = stage.number_or("squareness_xy_rad", 0, squareness);
  const double xz = stage.number_or("squareness_xz_rad", 0, squareness);
  const double yz = stage.number_or("squareness_yz_rad", 0, squareness);
  Eigen::Vector3d k = Eigen::Vector3d::Zero();
  if (stage.has("scale_ppm")) k = Eigen::Map<const Eigen::Vector3d>(stage.numbers("scale_ppm", 3).data());
  if (k.cwiseAbs().maxCoeff() > 1e5) {
    stage.refuse("scale_ppm", "has an element out of range", "from -100000 to 100000 for each axis");
  }
  model.a = stage_matrix({xy, xz, yz}, k);
  stage.finish();
  return model;
}

}  // namespace

Htm<Machine, Sensor> Calibration::at(const Eigen::Vector3d& q_mm) const {
  return at_stage(machine_from_sensor, stage, q_mm);
}

Calibration load_calibration(const std::filesystem::path& path) {
  auto file = config::TomlTable::from_file(path);
  file.integer("schema", schema, schema);
  Calibration c;
  c.id = name(file, "id");
  c.sensor_serial = name(file, "sensor_serial");
  c.made_utc_s = utc(file, "date");
  c.expires_utc_s = utc(file, "expires");
  c.date = file.text("date");
  if (c.expires_utc_s <= c.made_utc_s) file.refuse("expires", "is not after date", "a time after " + c.date);
  c.residual_rms_um = file.number("residual_rms_um", config::not_negative);
  c.machine_from_sensor = transform(file, "machine_from_sensor");
  c.stage = stage_model(file.table("stage"));
  c.file_sha256 = file.sha256();
  c.file = path;
  file.finish();
  return c;
}

std::string refusal(const Calibration& c, const std::string& sensor_serial, std::int64_t now_utc_s) {
  const std::string who = "calibration '" + c.id + "' ";
  if (c.sensor_serial != sensor_serial) {
    return who + "is for sensor " + c.sensor_serial + ", the frame is from sensor " + sensor_serial +
           ": calibrate this sensor, or name its calibration in the cell's configuration";
  }
  if (now_utc_s < c.made_utc_s) {
    return who + "is dated " + c.date + ", the clock says " + iso8601_from_utc(now_utc_s) +
           ": correct the clock or the calibration's date";
  }
  if (now_utc_s >= c.expires_utc_s) {
    return who + "expired at " + iso8601_from_utc(c.expires_utc_s) + ", the clock says " +
           iso8601_from_utc(now_utc_s) + ": calibrate again";
  }
  return {};
}

}  // namespace datum
