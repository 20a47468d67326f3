#include "calib/calibration.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "config/utc_time.h"

namespace datum {

namespace {

template <class... Values>
std::string formatted(const char* form, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

}  // namespace

const char* name_of(CalibrationMethod method) {
  switch (method) {
    case CalibrationMethod::angled_slot:
      return "angled-slot";
    case CalibrationMethod::lines:
      return "lines";
    case CalibrationMethod::sphere:
      return "sphere";
    case CalibrationMethod::imported:
      return "imported";
  }
  return "?";
}

Htm<Machine, Sensor> Calibration::at(const Eigen::Vector3d& q_mm) const {
  return at_stage(machine_from_sensor, stage, q_mm);
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

std::string temperature_refusal(const Calibration& c, const std::optional<TemperatureReading>& reading,
                                std::int64_t now_utc_s, std::int64_t max_age_s) {
  if (!c.temperature) return {};
  const TemperatureWindow& w = *c.temperature;
  const std::string who = "calibration '" + c.id + "' holds from " +
                          formatted("%.2f to %.2f degC", w.min_degc, w.max_degc) + ", ";
  const std::string tell = "SENSe:TEMPerature reports it";
  if (!reading) return who + "and no host reported the cell's temperature: " + tell;
  const std::int64_t age_s = now_utc_s - reading->utc_s;
  if (age_s < 0 || age_s > max_age_s) {
    return who + "and the cell's temperature was reported at " + iso8601_from_utc(reading->utc_s) +
           formatted(", more than %lld s before ", static_cast<long long>(max_age_s)) +
           iso8601_from_utc(now_utc_s) + ": " + tell;
  }
  if (!(reading->degc >= w.min_degc && reading->degc <= w.max_degc)) {  // NaN is not a temperature
    return who + formatted("the cell has %.2f degC", reading->degc) +
           ": bring the cell back to its temperature, or calibrate at this one";
  }
  return {};
}

bool is_head_name(const std::string& name) {
  return !name.empty() && name.size() <= 32 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

std::string head_refusal(const Calibration& c, const std::optional<std::array<double, 3>>& angles_deg) {
  if (!c.head && !angles_deg) return {};
  const auto words = [](const std::array<double, 3>& a) {
    return formatted("A %.4f, B %.4f, C %.4f degrees", a[0], a[1], a[2]);
  };
  if (!c.head)
    return "the head stands at " + words(*angles_deg) + ", and calibration '" + c.id +
           "' was made without angles of the head: calibrate at this position of the head";
  const std::string made = "calibration '" + c.id + "' holds with the head at position " + c.head->name +
                           ", " + words(c.head->angles_deg);
  if (!angles_deg)
    return made +
           ", and the position states no angles of the head: state its axes in [cmm], or calibrate without "
           "them";
  for (std::size_t i = 0; i < 3; ++i)
    if (!(std::abs(std::remainder((*angles_deg)[i] - c.head->angles_deg[i], 360)) <= c.head->tolerance_deg))
      return made + formatted(" within %g, and the head stands at ", c.head->tolerance_deg) +
             words(*angles_deg) + ": calibrate at this position of the head, or turn it back";
  return {};
}

}  // namespace datum
