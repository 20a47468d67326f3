// datumctl fringe calibrate: raw sets of a plate at known heights -> file of the phase-to-height calibration.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/utc_time.h"
#include "daemon/ctl/fringe.h"
#include "daemon/fringe/fringe_frames.h"
#include "daemon/system/durable_file.h"
#include "daemon/version/version.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

struct PlateSet {
  double z_mm = 0;
  RawSet raw;
  MeasuredFringes measured;
};

double height_of(const std::string& text, std::size_t at) {
  double z_mm = 0;
  const char* const end = text.data() + text.size();
  const char* const begin = at == std::string::npos ? end : text.data() + at + 1;
  const auto [next, error] = std::from_chars(begin, end, z_mm);
  if (error != std::errc() || next != end || !std::isfinite(z_mm))
    throw std::invalid_argument(
        fmt::format("'{}'; wanted: SET.json@HEIGHT in mm, such as plate3.json@0.5", text));
  return z_mm;
}

PlateSet plate_of(const std::string& text, const SensorProfile& sensor, FringeDemodulator& demodulator) {
  const std::size_t at = text.rfind('@');
  PlateSet plate;
  plate.z_mm = height_of(text, at);
  plate.raw = read_raw_set(link_followed(text.substr(0, at)), *sensor.fringe);
  if (plate.raw.sidecar.sensor_serial != sensor.serial)
    throw std::invalid_argument(fmt::format("{}: comes from sensor '{}', the profile is of '{}'",
                                            plate.raw.source, plate.raw.sidecar.sensor_serial,
                                            sensor.serial));
  plate.measured = measure_fringes(plate.raw, *sensor.fringe, nullptr, demodulator);
  plate.raw.grey = std::vector<std::uint8_t>();  // only its columns are needed from here on
  return plate;
}

void check_range(const std::vector<PlateSet>& plates, const SensorProfile& sensor) {
  const auto [low, high] = std::minmax_element(plates.begin(), plates.end(),
                                               [](const auto& a, const auto& b) { return a.z_mm < b.z_mm; });
  if (low->z_mm <= sensor.z_min_mm && high->z_mm >= sensor.z_max_mm) return;
  throw CalibrationError(
      fmt::format("the plate's heights reach from {} to {} mm, the profile's measuring range from {} to {} "
                  "mm: measure it beyond "
                  "both ends, or narrow the range",
                  low->z_mm, high->z_mm, sensor.z_min_mm, sensor.z_max_mm));
}

PhaseFitSettings settings_of(const FringeOptions& o, const RawSet& first) {
  if (o.cell_px < 1 || o.cell_px > 4096 || (o.cell_px & (o.cell_px - 1)) != 0)
    throw std::invalid_argument(fmt::format("--cell-px {}; wanted: 1, 2, 4 .. 4096", o.cell_px));
  return {static_cast<std::uint32_t>(first.cols),
          static_cast<std::uint32_t>(first.rows),
          static_cast<std::uint32_t>(o.cell_px),
          o.degree,
          !o.no_bend,
          o.max_residual_um,
          o.u_step_um,
          o.u_plate_um};
}

std::vector<FlatStep> flat_steps(const std::vector<PlateSet>& plates) {
  std::vector<FlatStep> steps;
  for (const PlateSet& p : plates) {
    const RawSet& first = plates.front().raw;
    if (p.raw.rows != first.rows || p.raw.cols != first.cols)
      throw CalibrationError(fmt::format("{} has another size than {}; one camera takes all of them",
                                         p.raw.source, first.source));
    steps.push_back(
        {p.z_mm * 1e3, p.measured.column_px.data(), p.measured.sigma_px.data(), p.measured.classes.data()});
  }
  return steps;
}

PhaseCalibration calibration_of(const FringeOptions& o, const SensorProfile& sensor, const PhaseFit& fit,
                                const std::vector<PlateSet>& plates) {
  PhaseCalibration c;
  c.id = o.id;
  c.sensor_serial = sensor.serial;
  c.made_utc_s = o.now_utc_s;
  c.expires_utc_s = o.now_utc_s + std::int64_t{86'400} * o.valid_days;
  c.operator_name = o.operator_name;
  c.software = "datumctl " + code_id();
  if (o.temperature_degc)
    c.temperature = TemperatureWindow{*o.temperature_degc, *o.temperature_degc - o.temperature_window_k,
                                      *o.temperature_degc + o.temperature_window_k};
  c.periods_px = sensor.fringe->periods_px;
  c.projector_px = sensor.fringe->projector_px;
  c.settings = settings_of(o, plates.front().raw);
  c.columns = fit.columns;
  c.rows = fit.rows;
  c.nodes = fit.nodes;
  c.node_u_um = fit.node_u_um;
  c.residual_rms_um = fit.residual_rms_um;
  c.u_model_um = fit.u_model_um;
  for (const StepResidual& r : fit.steps)
    for (const PlateSet& p : plates)
      if (p.z_mm * 1e3 == r.z_um) c.steps.push_back({r, p.raw.sidecar.frame_id, p.raw.content_sha256});
  return c;
}

std::string told(const PhaseCalibration& c, const PhaseFit& fit, const std::filesystem::path& file) {
  std::string text = fmt::format("{:>12}  {:>9}  {:>9}  {:>9}  {:>9}\n", "height um", "pixels", "mean um",
                                 "rms um", "noise um");
  for (const CalibratedStep& s : c.steps)
    text += fmt::format("{:>12.2f}  {:>9}  {:>+9.3f}  {:>9.3f}  {:>9.3f}\n", s.residual.z_um,
                        s.residual.pixels, s.residual.mean_um, s.residual.rms_um, s.residual.noise_um);
  if (!fit.spots.empty())
    text += fmt::format(
        "warning: {} places of the plate stand off it in all steps, the farthest by {:+.2f} um about row {}, "
        "column {}: look there for dust or a dent, clean the plate and measure it again\n",
        fit.spots.size(), fit.spots[0].off_um, fit.spots[0].row, fit.spots[0].column);
  text += fmt::format(
      "nodes {} of {}, worst condition {:.3g}, backward error {:.2g}\nresiduals {:.3f} um rms, u of a height "
      "{:.3f} um "
      "(k = 1)\n{} expires {}, sha256 {}\n{}\n",
      fit.calibrated, fit.nodes.size(), fit.worst_condition, fit.worst_backward_error, c.residual_rms_um,
      c.u_model_um, c.id, iso8601_from_utc(c.expires_utc_s), checksum_of(c), file.string());
  return text;
}

}  // namespace

std::string calibrate_fringe(const FringeOptions& o) {
  const SensorProfile sensor = config::load_sensor_profile(o.sensor);
  if (!sensor.fringe) throw std::invalid_argument(o.sensor + ": has no table [fringe]");
  if (sensor.fringe->steps == 1)
    throw std::invalid_argument(o.sensor +
                                ": mode is \"fourier\"; calibrate with the profile of the sensor's "
                                "phase-shifted sets, whose periods include this one's");
  const auto demodulator = cpu_fringe_demodulator(0);
  std::vector<PlateSet> plates;
  for (const std::string& text : o.sets) plates.push_back(plate_of(text, sensor, *demodulator));
  check_range(plates, sensor);
  const PhaseFit fit =
      fit_phase_heights(flat_steps(plates), settings_of(o, plates.front().raw), cpu_backend(1));
  const PhaseCalibration c = calibration_of(o, sensor, fit, plates);
  const std::filesystem::path file =
      o.output.empty() ? sensor.fringe->calibration : std::filesystem::path(o.output);
  std::filesystem::create_directories(std::filesystem::absolute(file).parent_path());
  write_file_durably(file, to_toml(c));
  load_phase_calibration(file);  // an unreadable file would be no calibration
  return told(c, fit, file);
}

}  // namespace datum
