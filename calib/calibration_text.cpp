// Writer of a calibration file in one canonical form, so that its checksum depends on the values and not on
// the layout.
#include <charconv>

#include "calib/calibration.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"

namespace datum {

namespace {

/// Shortest decimal that reads back as the same double; no negative zero, which TOML would read as 0.
std::string number(double value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value + 0.0).ptr;
  return {digits, end};
}

std::string text(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

template <class Matrix>
std::string rows(const Matrix& m) {
  std::string out = "[\n";
  for (int i = 0; i < m.rows(); ++i) {
    out += "  ";
    for (int j = 0; j < m.cols(); ++j) out += number(m(i, j)) + (j + 1 < m.cols() ? ", " : ",\n");
  }
  return out + "]\n";
}

std::string list(const Eigen::Vector3d& v) {
  return "[" + number(v[0]) + ", " + number(v[1]) + ", " + number(v[2]) + "]\n";
}

std::string head_of(const Calibration& c) { return "schema = 2\nid = " + text(c.id) + "\n"; }

std::string body_of(const Calibration& c) {
  std::string out = "from = \"sensor\"\nto = \"machine\"\n";
  out += "sensor_serial = " + text(c.sensor_serial) + "\n";
  out += "date = " + text(iso8601_from_utc(c.made_utc_s)) + "\n";
  out += "expires = " + text(iso8601_from_utc(c.expires_utc_s)) + "\n";
  out += "method = " + text(name_of(c.method)) + "\n";
  out += "operator = " + text(c.operator_name) + "\n";
  out += "software = " + text(c.software) + "\n";
  out += "residual_rms_um = " + number(c.residual_rms_um) + "\n";
  out += "machine_from_sensor = " + rows(c.machine_from_sensor.matrix());
  out += "covariance = " + rows(c.covariance);
  out += "\n[stage]\nq_cal_mm = " + list(c.stage.q_cal_mm);
  out += "squareness_xy_rad = " + number(c.squareness_rad[0]) + "\n";
  out += "squareness_xz_rad = " + number(c.squareness_rad[1]) + "\n";
  out += "squareness_yz_rad = " + number(c.squareness_rad[2]) + "\n";
  out += "scale_ppm = " + list(c.scale_ppm);
  // Omitted where not stated, so that the checksum of older files remains valid.
  const auto stated = [&](const char* key, const Eigen::Vector3d& u) {
    if (!u.isZero(0)) out += std::string(key) + " = " + list(u);
  };
  stated("u_squareness_rad", c.stage_u.squareness_rad);
  stated("u_scale_ppm", c.stage_u.scale_ppm);
  stated("u_position_um", c.stage_u.position_um);
  if (!c.artefact_serial.empty()) {
    out += "\n[artefact]\nserial = " + text(c.artefact_serial) + "\n";
    out += "drawing_sha256 = " + text(c.drawing_sha256) + "\n";
  }
  if (c.temperature) {
    out += "\n[temperature]\nmeasured_degc = " + number(c.temperature->measured_degc) + "\n";
    out += "min_degc = " + number(c.temperature->min_degc) + "\n";
    out += "max_degc = " + number(c.temperature->max_degc) + "\n";
  }
  if (c.head) {
    const std::array<double, 3>& a = c.head->angles_deg;
    out += "\n[head]\nname = " + text(c.head->name) + "\n";
    out += "angles_deg = " + list(Eigen::Vector3d(a[0], a[1], a[2]));
    out += "tolerance_deg = " + number(c.head->tolerance_deg) + "\n";
    out += "u_turn_mdeg = " + number(c.head->u_turn_mdeg) + "\n";
    out += "u_shift_um = " + number(c.head->u_shift_um) + "\n";
  }
  for (const FeatureResidual& r : c.residuals) {
    out += "\n[[residual]]\nfeature = " + text(r.feature) + "\npoints = " + std::to_string(r.points) +
           "\nrms_um = " + number(r.rms_um) + "\n";
  }
  return out;
}

}  // namespace

std::string checksum_of(const Calibration& c) { return config::sha256_hex(head_of(c) + body_of(c)); }

std::string to_toml(const Calibration& c) {
  return head_of(c) + "checksum = \"" + checksum_of(c) + "\"\n" + body_of(c);
}

}  // namespace datum
