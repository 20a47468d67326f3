#include "calib/calibration_solve.h"

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

/// One radius serves all touches: its error moves the artefact as a whole.
ArtefactLocation<Machine> touched_artefact(const ArtefactDrawing& drawing, const FaceTouches& touches,
                                           const MachineSetup& machine) {
  ArtefactLocation<Machine> at = located(drawing, touches, machine, 0);
  const double u_mm = machine.probe.u_radius_mm;
  if (u_mm == 0) return at;
  const auto more = located(drawing, touches, machine, u_mm),
             less = located(drawing, touches, machine, -u_mm);
  const Vector6d joint = difference(more.joint, less.joint) / 2;
  const Vector6d constructed = difference(more.constructed, less.constructed) / 2;
  at.joint.covariance += joint * joint.transpose();
  at.constructed.covariance += constructed * constructed.transpose();
  return at;
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
  s.touched = touched_artefact(drawing, touches, machine);
  s.scanned = locate<Sensor>(scan.points, drawing, Eigen::Vector3d::UnitZ(), FaceNoise::each_face);
  s.joint = machine_from_sensor(s.touched.joint, s.scanned.joint);
  s.constructed = machine_from_sensor(s.touched.constructed, s.scanned.constructed);
  s.disagreement = difference(s.constructed, s.joint);
  add_residuals(s.touched, "touch", machine, s);
  add_residuals(s.scanned, "scan", machine, s);
  return s;
}

}  // namespace datum
