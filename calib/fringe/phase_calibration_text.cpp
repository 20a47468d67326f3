// Writer of a phase-to-height calibration file in one canonical form, so that its checksum depends on the
// values only.
#include <charconv>
#include <cmath>

#include "calib/fringe/phase_calibration.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"

namespace datum {
namespace {

/// Shortest decimal that reads back as the same number; no negative zero.
template <class Number>
std::string number(Number value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value + Number{0}).ptr;
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

/// One node per line: centre_px, per_px (0: not calibrated), h0 .. h3, bend, u_um.
std::string nodes_text(const PhaseCalibration& c) {
  std::string out = "nodes = [\n";
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const HeightNode& n = c.nodes[i];
    out += "  " + number(n.centre_px) + ", " + number(std::isnan(n.per_px) ? 0.f : n.per_px);
    for (const float h : n.height_um) out += ", " + number(h);
    out += ", " + number(n.bend) + ", " + number(c.node_u_um[i]) + ",\n";
  }
  return out + "]\n";
}

std::string temperature_text(const TemperatureWindow& w) {
  return "\n[temperature]\nmeasured_degc = " + number(w.measured_degc) +
         "\nmin_degc = " + number(w.min_degc) + "\nmax_degc = " + number(w.max_degc) + "\n";
}

std::string head_of(const PhaseCalibration& c) {
  return "schema = 1\nkind = \"phase-to-height\"\nid = " + text(c.id) + "\n";
}

std::string body_of(const PhaseCalibration& c) {
  std::string out = "sensor_serial = " + text(c.sensor_serial) + "\n";
  out += "date = " + text(iso8601_from_utc(c.made_utc_s)) + "\n";
  out += "expires = " + text(iso8601_from_utc(c.expires_utc_s)) + "\n";
  out += "operator = " + text(c.operator_name) + "\n";
  out += "software = " + text(c.software) + "\n";
  out += "residual_rms_um = " + number(c.residual_rms_um) + "\n";
  out += "u_model_um = " + number(c.u_model_um) + "\n";
  if (c.temperature) out += temperature_text(*c.temperature);
  out += "\n[projector]\nperiods_px = [";
  for (std::size_t i = 0; i < c.periods_px.size(); ++i) out += (i ? ", " : "") + number(c.periods_px[i]);
  out += "]\nwidth_px = " + number(c.projector_px) + "\n";
  for (const CalibratedStep& s : c.steps)
    out += "\n[[step]]\nz_um = " + number(s.residual.z_um) + "\nframe_id = " + text(s.frame_id) +
           "\ncontent_sha256 = " + text(s.content_sha256) +
           "\npixels = " + std::to_string(s.residual.pixels) + "\nmean_um = " + number(s.residual.mean_um) +
           "\nrms_um = " + number(s.residual.rms_um) + "\nnoise_um = " + number(s.residual.noise_um) + "\n";
  const PhaseFitSettings& f = c.settings;
  out += "\n[model]\nimage_px = [" + std::to_string(f.width) + ", " + std::to_string(f.height) + "]\n";
  out += "cell_px = " + std::to_string(f.cell_px) + "\ndegree = " + std::to_string(f.degree) +
         "\nbend = " + (f.bend ? "true" : "false") + "\nmax_residual_um = " + number(f.max_residual_um) +
         "\nu_step_um = " + number(f.u_step_um) + "\nu_plate_um = " + number(f.u_plate_um) +
         "\nlsb_um = " + number(c.lsb_um) + "\n";
  return out + nodes_text(c);
}

}  // namespace

std::string checksum_of(const PhaseCalibration& c) { return config::sha256_hex(head_of(c) + body_of(c)); }

std::string to_toml(const PhaseCalibration& c) {
  return head_of(c) + "checksum = \"" + checksum_of(c) + "\"\n" + body_of(c);
}

}  // namespace datum
