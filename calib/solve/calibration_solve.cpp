#include "calib/solve/calibration_solve.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace datum {

namespace {

FacePoints surface_of(const FaceTouches& touches, const MachineSetup& machine, const Probe& probe) {
  StageModel stage;
  stage.a = stage_matrix(machine.squareness_rad, machine.scale_ppm);
  FacePoints surface;
  for (const Face face : all_faces) {
    std::vector<Eigen::Vector3d> centres;
    for (const Eigen::Vector3d& q : touches[index_of(face)]) centres.push_back(corrected_position(stage, q));
    if (centres.size() < least_touches) {
      throw FitRefused(std::string(name_of(face)) + ": " + std::to_string(centres.size()) +
                       " touches; at least " + std::to_string(least_touches) +
                       ", spread over the face, are needed");
    }
    try {
      surface[index_of(face)] = plane_of_touches(centres, machine.outwards, probe).surface_mm;
    } catch (const FitRefused& why) {
      throw FitRefused(std::string(name_of(face)) + " touches: " + why.what());
    }
  }
  return surface;
}

ArtefactLocation<Machine> located(const ArtefactDrawing& drawing, const FaceTouches& touches,
                                  const MachineSetup& machine, double radius_error_mm) {
  Probe probe = machine.probe;
  probe.radius_mm += radius_error_mm;
  return locate<Machine>(surface_of(touches, machine, probe), drawing, machine.outwards, FaceNoise::pooled);
}

/// With a radius error e, face f deviates by -e d_f from the fitted pose, d_f being the derivative of its
/// offset. e is the least-squares solution over the faces, each with its touches' noise and its form.
ToldRadius told_radius(const ArtefactDrawing& drawing, const FaceTouches& touches,
                       const MachineSetup& machine, const ArtefactLocation<Machine>& at) {
  const double by_mm = 0.01;
  const auto more = located(drawing, touches, machine, by_mm),
             less = located(drawing, touches, machine, -by_mm);
  double information = 0, pull = 0;
  for (const Face face : all_faces) {
    const std::size_t f = index_of(face);
    const double d = (more.faces[f].offset_um - less.faces[f].offset_um) * 1e-3 / (2 * by_mm);
    const double noise_mm = std::max(machine.probe.u_touch_mm, at.faces[f].sigma_um * 1e-3),
                 form_mm = drawing.tolerance.form_um * 1e-3,
                 variance = noise_mm * noise_mm / static_cast<double>(at.faces[f].points) + form_mm * form_mm;
    information += d * d / variance;
    pull -= d * at.faces[f].offset_um * 1e-3 / variance;
  }
  // an uncertainty beyond the radius itself carries no information
  if (!(information > 0) || 1 / std::sqrt(information) > machine.probe.radius_mm)
    return {machine.probe.radius_mm, HUGE_VAL, machine.probe.u_radius_mm};
  ToldRadius told{machine.probe.radius_mm + pull / information, 1 / std::sqrt(information),
                  machine.probe.u_radius_mm};
  const double off_mm = std::abs(pull / information);
  if (off_mm > 2 * std::hypot(told.u_mm, told.taken_u_mm)) told.taken_u_mm = off_mm;
  return told;
}

void judge_radius(const MachineSetup& machine, CalibrationSolution& s) {
  const Probe& probe = machine.probe;
  char text[400];
  if (probe.u_radius_mm == 0) {
    s.findings.push_back(
        "calibration.probe_u_radius_um is 0: no radius is known exactly; measure the tip on a ring gauge or "
        "a sphere and state the "
        "standard uncertainty");
    return;
  }
  if (2e3 * s.radius.u_mm > machine.radius_limit_um && machine.radius_checked_by.empty()) {
    std::snprintf(
        text, sizeof text,
        "the touched faces determine the probe's radius to U = %.1f um, calibration.probe_radius_limit_um "
        "allows "
        "%g: "
        "measure the tip on a "
        "ring gauge or a sphere and state gauge, certificate and date in calibration.probe_checked_by",
        2e3 * s.radius.u_mm, machine.radius_limit_um);
    s.findings.push_back(text);
  }
  const double off_mm = s.radius.mm - probe.radius_mm, u_mm = std::hypot(s.radius.u_mm, probe.u_radius_mm);
  if (!std::isfinite(u_mm) || std::abs(off_mm) <= 3 * u_mm) return;
  std::snprintf(
      text, sizeof text,
      "the touched faces determine a probe radius of %.4f mm (u %.1f um), the configuration states %.4f mm "
      "(u "
      "%.1f um): "
      "measure the tip on a ring gauge or a sphere, then calibration.probe_radius_mm and probe_u_radius_um",
      s.radius.mm, 1e3 * s.radius.u_mm, probe.radius_mm, 1e3 * probe.u_radius_mm);
  s.findings.push_back(text);
}

/// One radius serves all touches: its error moves the artefact as a whole.
void add_radius(const ArtefactDrawing& drawing, const FaceTouches& touches, const MachineSetup& machine,
                double u_mm, ArtefactLocation<Machine>& at) {
  if (u_mm == 0) return;
  const auto more = located(drawing, touches, machine, u_mm),
             less = located(drawing, touches, machine, -u_mm);
  const Vector6d joint = difference(more.joint, less.joint) / 2;
  const Vector6d constructed = difference(more.constructed, less.constructed) / 2;
  at.joint.covariance += joint * joint.transpose();
  at.constructed.covariance += constructed * constructed.transpose();
}

template <class To>
void add_residuals(const ArtefactLocation<To>& at, const std::string& device, const MachineSetup& machine,
                   CalibrationSolution& s) {
  for (const Face face : all_faces) {
    const FaceResidual& r = at.faces[index_of(face)];
    const std::string name = std::string(name_of(face)) + " " + device;
    const double rms_um = std::hypot(r.offset_um, r.sigma_um);
    s.residuals.push_back({name, static_cast<std::int64_t>(r.points), rms_um});
    if (rms_um <= machine.max_residual_um) continue;
    char text[160];
    std::snprintf(text, sizeof text,
                  "%s: residual %.1f um, at most %.1f are allowed: clean the face, %s it again", name.c_str(),
                  rms_um, machine.max_residual_um, device.c_str());
    s.findings.push_back(text);
  }
  if (!at.finding.empty()) s.findings.push_back(device + ": " + at.finding);
  s.rms_um = std::max(s.rms_um, at.rms_um);
}

}  // namespace

CalibrationSolution solve_calibration(const ArtefactDrawing& drawing, const FaceTouches& touches,
                                      const ScannedFaces& scan, const MachineSetup& machine) {
  CalibrationSolution s;
  s.touched = located(drawing, touches, machine, 0);
  s.radius = told_radius(drawing, touches, machine, s.touched);
  judge_radius(machine, s);
  add_radius(drawing, touches, machine, s.radius.taken_u_mm, s.touched);
  s.scanned = locate<Sensor>(scan.points, drawing, Eigen::Vector3d::UnitZ(), FaceNoise::each_face);
  s.joint = machine_from_sensor(s.touched.joint, s.scanned.joint);
  s.constructed = machine_from_sensor(s.touched.constructed, s.scanned.constructed);
  s.disagreement = difference(s.constructed, s.joint);
  add_residuals(s.touched, "touch", machine, s);
  add_residuals(s.scanned, "scan", machine, s);
  return s;
}

}  // namespace datum
