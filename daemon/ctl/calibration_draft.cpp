#include "daemon/ctl/calibration_draft.h"

#include <fmt/format.h>

#include <stdexcept>

#include "config/utc_time.h"
#include "daemon/ctl/verify_frame.h"
#include "daemon/system/durable_file.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

Calibration calibration_of(const FileSteps& o, const CalibrateSettings& settings, const SensorProfile& sensor,
                           const SolvedFromFiles& solved, const StageModel& stage) {
  constexpr std::int64_t day_s = 86400;
  Calibration c;
  c.sensor_serial = sensor.serial;
  c.made_utc_s = o.now_utc_s;
  c.date = iso8601_from_utc(o.now_utc_s);
  c.id = fmt::format("{}_{}", solved.prefix, c.date);
  std::erase_if(c.id, [](char letter) { return letter == '-' || letter == ':'; });
  c.expires_utc_s = o.now_utc_s + settings.valid_days * day_s;
  c.method = solved.method;
  c.operator_name = o.operator_name;
  c.software = code_id();
  c.artefact_serial = solved.artefact_serial;
  c.drawing_sha256 = solved.drawing_sha256;
  c.temperature = TemperatureWindow{o.degc, o.degc - settings.temperature_window_k,
                                    o.degc + settings.temperature_window_k};
  c.residual_rms_um = solved.rms_um;
  c.residuals = solved.residuals;
  c.machine_from_sensor = solved.machine_from_sensor.htm;
  c.covariance =
      (solved.machine_from_sensor.covariance + solved.machine_from_sensor.covariance.transpose()) / 2;
  c.squareness_rad = Eigen::Map<const Eigen::Vector3d>(settings.squareness_rad.data());
  c.scale_ppm = Eigen::Map<const Eigen::Vector3d>(settings.scale_ppm.data());
  c.stage = stage;
  c.stage_u.squareness_rad = Eigen::Map<const Eigen::Vector3d>(settings.u_squareness_rad.data());
  c.stage_u.scale_ppm = Eigen::Map<const Eigen::Vector3d>(settings.u_scale_ppm.data());
  c.stage_u.position_um = Eigen::Map<const Eigen::Vector3d>(settings.u_position_um.data());
  c.sha256 = checksum_of(c);
  return c;
}

}  // namespace

DaemonConfig config_with_probe(const std::string& file) {
  DaemonConfig config = load_daemon_config(file);
  if (!config.calibrate)
    throw CalibrationError(config.file.string() + " has no [calibration], which states the probe");
  return config;
}

Probe probe_of(const CalibrateSettings& s) {
  return {s.probe_radius_mm, s.probe_u_radius_um / 1000, s.probe_u_touch_um / 1000};
}

StageModel stage_of(const FileSteps& o, const CalibrateSettings& settings) {
  StageModel stage;
  stage.a = stage_matrix(Eigen::Map<const Eigen::Vector3d>(settings.squareness_rad.data()),
                         Eigen::Map<const Eigen::Vector3d>(settings.scale_ppm.data()));
  const auto at = numbers_of(o.stage, 3, "--stage");
  stage.q_cal_mm = {at[0], at[1], at[2]};
  return stage;
}

Verified store_solved(const FileSteps& o, const DaemonConfig& config, const SensorProfile& sensor,
                      const SolvedFromFiles& solved, const StageModel& stage, const std::string& lines) {
  for (const FeatureResidual& r : solved.residuals)
    if (r.rms_um > config.calibrate->max_residual_um)
      throw CalibrationError(
          fmt::format("{}: {:.2f} um off, at most {:g} are allowed (calibration.max_residual_um); touch and "
                      "scan again",
                      r.feature, r.rms_um, config.calibrate->max_residual_um));
  const Calibration c = calibration_of(o, *config.calibrate, sensor, solved, stage);
  const std::filesystem::path file =
      o.output.empty() ? config.calibrations / (c.id + ".toml") : std::filesystem::path(o.output);
  if (std::filesystem::exists(file))
    throw std::invalid_argument(file.string() + ": exists; wanted: --output with another name");
  write_file_durably(file, to_toml(c));
  const Eigen::Vector3d u = c.covariance.diagonal().tail<3>().cwiseMax(0).cwiseSqrt() * 1000;
  return {Found::good,
          fmt::format("{}rms {:.2f} um; u of the place {:.2f} {:.2f} {:.2f} um\n{}: written\n"
                      "current by: datumctl calibrate accept {} --operator \"{}\"\n",
                      lines, c.residual_rms_um, u.x(), u.y(), u.z(), file.string(), c.id, o.operator_name)};
}

}  // namespace datum
