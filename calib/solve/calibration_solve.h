// Computation of one calibration: an artefact touched by the machine's probe and scanned by the sensor gives
// machine_from_sensor.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "calib/artefact/location.h"
#include "calib/calibration.h"
#include "calib/touch/touched.h"

namespace datum {

/// Tip centres of each face in mm, as read from the machine's scales.
using FaceTouches = std::array<std::vector<Eigen::Vector3d>, face_count>;

/// Least touches of a face that show its own form: a plane has three unknowns.
inline constexpr std::size_t least_touches = 4;

/// Machine settings from the cell's configuration.
struct MachineSetup {
  Probe probe;
  /// Approximate outward direction of the artefact's plate, machine coordinates.
  Eigen::Vector3d outwards{0, 0, 1};
  Eigen::Vector3d squareness_rad = Eigen::Vector3d::Zero();  // xy, xz, yz, as of StageModel
  Eigen::Vector3d scale_ppm = Eigen::Vector3d::Zero();
  double max_residual_um = 50;
  /// Largest U (k = 2) of the probe's radius from the faces; beyond it radius_checked_by is demanded.
  double radius_limit_um = HUGE_VAL;
  std::string radius_checked_by;  // text: a ring gauge, its certificate, the date
};

/// The artefact's faces in one snapshot.
struct ScannedFaces {
  FacePoints points;                               // right-handed sensor coordinates
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();  // stage position, as read from its scales
};

/// Error of the probe's radius, determined by the faces' different directions: a radius that is too large
/// lifts a flank's plane by more than a pose can compensate.
struct ToldRadius {
  /// u_mm: standard uncertainty from touches and the drawing's form; infinite where the directions do not
  /// differ.
  double mm = 0, u_mm = 0;
  /// Uncertainty of the stated radius as used in the covariance: the stated one, or the faces' difference
  /// where that exceeds two standard uncertainties.
  double taken_u_mm = 0;
};

struct CalibrationSolution {
  ArtefactLocation<Machine> touched;
  ArtefactLocation<Sensor> scanned;
  /// With the stage at q_mm. The joint estimate is stored; the constructed one (thesis, section 2.7.3) is for
  /// comparison.
  HtmEstimate<Machine, Sensor> joint, constructed;
  Vector6d disagreement = Vector6d::Zero();  // difference(constructed, joint)
  std::vector<FeatureResidual> residuals;    // "LP scan", "LP touch", ...: about the drawn plane
  ToldRadius radius;
  double rms_um = 0;                  // of the device with the larger residuals
  std::vector<std::string> findings;  // reasons against acceptance, each with its remedy
};

/// Findings of the radius: the faces contradict it by more than three standard uncertainties (theirs and the
/// stated one); its uncertainty is stated as 0; or the faces determine it no better than radius_limit_um and
/// no check is stated. From two standard uncertainties on, the difference becomes its uncertainty.
///
/// Touches are corrected by the stage's squareness and scale, then by the probe's radius into the material.
/// The radius' uncertainty, common to all touches, is added to the covariance. Throws FitRefused with the
/// face's name.
CalibrationSolution solve_calibration(const ArtefactDrawing& drawing, const FaceTouches& touches,
                                      const ScannedFaces& scan, const MachineSetup& machine);

}  // namespace datum
