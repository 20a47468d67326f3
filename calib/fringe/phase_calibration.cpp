#include "calib/fringe/phase_calibration.h"

#include <algorithm>

#include "config/toml_reader.h"
#include "config/utc_time.h"

namespace datum {

HeightModel PhaseCalibration::model() const {
  return {settings.cell_px, columns, rows, nodes.data(), static_cast<float>(lsb_um)};
}

std::string mismatch(const PhaseCalibration& c, const std::string& sensor_serial, const FringeSettings& s) {
  const std::string who = "phase-to-height calibration '" + c.id + "' ";
  if (c.sensor_serial != sensor_serial)
    return who + "is for sensor " + c.sensor_serial + ", the profile is of sensor " + sensor_serial +
           ": calibrate this sensor (datumctl fringe calibrate)";
  const auto list = [](const std::vector<double>& all) {
    std::string text;
    for (const double v : all) text += (text.empty() ? "" : ", ") + config::shown(v);
    return text;
  };
  // A single-shot measurement uses one of the calibrated periods.
  const bool same = s.steps == 1 ? std::find(c.periods_px.begin(), c.periods_px.end(),
                                             s.periods_px.front()) != c.periods_px.end()
                                 : c.periods_px == s.periods_px;
  if (!same || c.projector_px != s.projector_px)
    return who + "was made with periods of " + list(c.periods_px) + " px on " +
           config::shown(c.projector_px) + " px, the profile has " + list(s.periods_px) + " px on " +
           config::shown(s.projector_px) + " px: correct the profile, or calibrate again";
  return {};
}

std::string refusal(const PhaseCalibration& c, const CellMoment& now) {
  Calibration validity;  // same rules and texts as for other calibrations
  validity.id = c.id;
  validity.sensor_serial = c.sensor_serial;
  validity.made_utc_s = c.made_utc_s;
  validity.expires_utc_s = c.expires_utc_s;
  validity.date = iso8601_from_utc(c.made_utc_s);
  validity.temperature = c.temperature;
  std::string why = refusal(validity, c.sensor_serial, now.utc_s);
  if (why.empty()) {
    std::optional<TemperatureReading> reading;
    if (now.temperature_degc) reading = TemperatureReading{*now.temperature_degc, now.temperature_utc_s};
    why = temperature_refusal(validity, reading, now.utc_s, now.temperature_max_age_s);
  }
  return why.empty() ? why : "phase-to-height " + why;
}

}  // namespace datum
