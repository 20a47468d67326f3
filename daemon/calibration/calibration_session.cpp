#include "daemon/calibration/calibration_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "config/utc_time.h"

namespace datum {

namespace {

constexpr std::int64_t day_s = 86'400;

/// "S-1_20260301T083000Z", with '-' for what can't stand in a file's name.
std::string id_of(const std::string& sensor_serial, std::int64_t utc_s) {
  std::string id = sensor_serial + "_";
  for (const char c : iso8601_from_utc(utc_s))
    if (c != '-' && c != ':') id += c;
  for (char& c : id)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  if (id[0] == '.') id[0] = '-';
  return id;
}

std::string transform_line(const char* name, const HtmEstimate<Machine, Sensor>& e) {
  const Eigen::Vector3d t = e.htm.translation_mm();
  const Eigen::Vector3d turn = vector_from_rotation(e.htm.rotation()) * 180 / std::numbers::pi;
  const Vector6d u = e.covariance.diagonal().cwiseSqrt();
  return fmt::format(
      "{}: shift {:.4f} {:.4f} {:.4f} mm, U {:.1f} {:.1f} {:.1f} um; turn {:.4f} {:.4f} {:.4f} deg, U {:.2f} "
      "{:.2f} {:.2f} mdeg",
      name, t[0], t[1], t[2], 2e3 * u[3], 2e3 * u[4], 2e3 * u[5], turn[0], turn[1], turn[2],
      2 * u[0] * 180e3 / std::numbers::pi, 2 * u[1] * 180e3 / std::numbers::pi,
      2 * u[2] * 180e3 / std::numbers::pi);
}

void report_solution(const CalibrationSolution& s, const MachineSetup& machine,
                     std::vector<std::string>& lines) {
  lines.push_back(transform_line("joint fit", s.joint));
  lines.push_back(transform_line("construction", s.constructed));
  lines.push_back(
      fmt::format("the two differ by {:.1f} um at the sensor's origin and {:.2f} mdeg",
                  (s.constructed.htm.translation_mm() - s.joint.htm.translation_mm()).norm() * 1e3,
                  s.disagreement.head<3>().norm() * 180e3 / std::numbers::pi));
  std::string residuals = fmt::format("residual rms {:.1f} um:", s.rms_um);
  for (const FeatureResidual& r : s.residuals)
    residuals += fmt::format(" {} {:.1f} ({})", r.feature, r.rms_um, r.points);
  lines.push_back(residuals);
  lines.push_back(
      std::isfinite(s.radius.u_mm)
          ? fmt::format(
                "probe radius by the faces {:.4f} mm, U {:.1f} um; u of the stated one taken as {:.1f} um",
                s.radius.mm, 2e3 * s.radius.u_mm, 1e3 * s.radius.taken_u_mm)
          : std::string("probe radius: the faces' directions do not determine it"));
  if (!machine.radius_checked_by.empty())
    lines.push_back("probe radius checked by: " + machine.radius_checked_by);
  for (const std::string& finding : s.findings) lines.push_back("finding: " + finding);
  lines.push_back(s.findings.empty() ? "to be accepted or verified" : "must not be accepted");
}

}  // namespace

MachineSetup machine_setup(const CalibrateSettings& s) {
  MachineSetup machine;
  machine.probe = {s.probe_radius_mm, s.probe_u_radius_um * 1e-3, s.probe_u_touch_um * 1e-3};
  machine.outwards = Eigen::Map<const Eigen::Vector3d>(s.outwards.data());
  machine.squareness_rad = Eigen::Map<const Eigen::Vector3d>(s.squareness_rad.data());
  machine.scale_ppm = Eigen::Map<const Eigen::Vector3d>(s.scale_ppm.data());
  machine.max_residual_um = s.max_residual_um;
  machine.radius_limit_um = s.probe_radius_limit_um;
  machine.radius_checked_by = s.probe_checked_by;
  return machine;
}

std::optional<HeadPosition> head_position(const std::optional<HeadSettings>& settings,
                                          const std::optional<std::array<double, 3>>& angles_deg) {
  if (!settings && !angles_deg) return std::nullopt;
  if (!settings || !angles_deg)
    throw CalibrationError("positions of the head and angles that the machine states belong together");
  std::string known;
  for (const HeadSettings::Position& p : settings->positions) {
    double off_deg = 0;
    for (std::size_t i = 0; i < 3; ++i)
      off_deg = std::max(off_deg, std::abs(std::remainder((*angles_deg)[i] - p.angles_deg[i], 360)));
    if (off_deg <= settings->tolerance_deg)
      return HeadPosition{p.name, *angles_deg, settings->tolerance_deg, settings->u_turn_mdeg,
                          settings->u_shift_um};
    known += fmt::format("; {} is at {} {} {}", p.name, p.angles_deg[0], p.angles_deg[1], p.angles_deg[2]);
  }
  throw CalibrationError(
      fmt::format("the head stands at A {:.4f}, B {:.4f}, C {:.4f} degrees, at none of its positions "
                  "within {:g}{}",
                  (*angles_deg)[0], (*angles_deg)[1], (*angles_deg)[2], settings->tolerance_deg, known));
}

void CalibrationSession::touched(Face face, const Eigen::Vector3d& centre_mm) {
  touches_[index_of(face)].push_back(centre_mm);
  solution_.reset();
}

void CalibrationSession::forget(const std::optional<Face>& face) {
  for (const Face f : all_faces)
    if (!face || f == *face) touches_[index_of(f)].clear();
  solution_.reset();
}

void CalibrationSession::scanned(ArtefactScan scan) {
  scan_ = std::move(scan);
  solution_.reset();
}

CalibrationSolution CalibrationSession::reckoned() const {
  if (!scan_)
    throw FitRefused("there is no scan of the artefact: CALibration:SCAN, then let the sensor expose");
  return solve_calibration(drawing_, touches_, scan_->faces, machine_);
}

void CalibrationSession::solve() { solution_ = reckoned(); }

void CalibrationSession::check_acceptable() const {
  if (!solution_) throw CalibrationError("nothing was solved: touch each face, scan, then CALibration:SOLVe");
  std::string why;
  for (const std::string& finding : solution_->findings) why += (why.empty() ? "" : "; ") + finding;
  if (!why.empty()) throw CalibrationError("what was solved must not be used: " + why);
}

Calibration CalibrationSession::calibration(const std::string& sensor_serial, std::int64_t now_utc_s,
                                            const std::string& software,
                                            const CalibrateSettings& settings) const {
  check_acceptable();
  Calibration c;
  c.id = id_of(sensor_serial, now_utc_s);
  c.sensor_serial = sensor_serial;
  c.made_utc_s = now_utc_s;
  c.date = iso8601_from_utc(now_utc_s);
  c.expires_utc_s = now_utc_s + settings.valid_days * day_s;
  c.method = CalibrationMethod::angled_slot;
  c.operator_name = operator_name_;
  c.software = software;
  c.artefact_serial = drawing_.serial;
  c.drawing_sha256 = drawing_.sha256;
  c.temperature =
      TemperatureWindow{degc_, degc_ - settings.temperature_window_k, degc_ + settings.temperature_window_k};
  c.residual_rms_um = solution_->rms_um;
  c.residuals = solution_->residuals;
  c.machine_from_sensor = solution_->joint.htm;
  // Exactly symmetric, as the file demands it.
  c.covariance = (solution_->joint.covariance + solution_->joint.covariance.transpose()) / 2;
  c.head = scan_->head;
  if (c.head) {  // the head returns twice: to the scan here, and to each frame; it turns about the sensor's origin
    const double turn_rad = c.head->u_turn_mdeg * 1e-3 * std::numbers::pi / 180,
                 shift_mm = c.head->u_shift_um * 1e-3;
    c.covariance.diagonal().head<3>().array() += 2 * turn_rad * turn_rad;
    c.covariance.diagonal().tail<3>().array() += 2 * shift_mm * shift_mm;
  }
  c.squareness_rad = machine_.squareness_rad;
  c.scale_ppm = machine_.scale_ppm;
  c.stage.a = stage_matrix(c.squareness_rad, c.scale_ppm);
  c.stage_u.squareness_rad = Eigen::Map<const Eigen::Vector3d>(settings.u_squareness_rad.data());
  c.stage_u.scale_ppm = Eigen::Map<const Eigen::Vector3d>(settings.u_scale_ppm.data());
  c.stage_u.position_um = Eigen::Map<const Eigen::Vector3d>(settings.u_position_um.data());
  c.stage.q_cal_mm = scan_->faces.q_mm;
  c.sha256 = checksum_of(c);
  return c;
}

Drift CalibrationSession::drift_from(const Calibration& current, const DriftLimits& limits) const {
  check_acceptable();
  const HtmEstimate<Machine, Sensor> then{current.at(scan_->faces.q_mm), current.covariance};
  return drift_of(solution_->joint, then, solution_->scanned.joint.htm.translation_mm(), limits);
}

std::vector<std::string> CalibrationSession::report() const {
  std::vector<std::string> lines{
      fmt::format("artefact {}, operator {}, {} degC", drawing_.serial, operator_name_, degc_)};
  for (const Face face : all_faces) {
    const std::size_t n = touches_[index_of(face)].size();
    lines.push_back(fmt::format("{}: {} touches{}", name_of(face), n,
                                n < least_touches ? fmt::format(", {} are needed", least_touches) : ""));
  }
  if (scan_) {
    std::string scan = fmt::format("scan: frame {},", scan_->frame_id);
    for (const Face face : all_faces)
      scan += fmt::format(" {} {}", name_of(face), scan_->faces.points[index_of(face)].size());
    lines.push_back(scan + " points");
    if (scan_->head)
      lines.push_back(fmt::format("head: position {}, A {:.4f} B {:.4f} C {:.4f} degrees", scan_->head->name,
                                  scan_->head->angles_deg[0], scan_->head->angles_deg[1],
                                  scan_->head->angles_deg[2]));
  } else {
    lines.push_back("scan: needed");
  }
  if (solution_) report_solution(*solution_, machine_, lines);
  return lines;
}

}  // namespace datum
