// One calibration's arithmetic: an artefact touched by the machine's probe and seen by the sensor gives the
// transform from one to the other.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "calib/artefact/location.h"
#include "calib/calibration.h"
#include "calib/touch/touched.h"

namespace datum {

/// Tip centres of each face in mm, as the machine's scales read them.
using FaceTouches = std::array<std::vector<Eigen::Vector3d>, face_count>;

/// Fewest touches of a face that say something of its own form: a plane has three unknowns.
inline constexpr std::size_t least_touches = 4;

/// What the cell's configuration says of its machine.
struct MachineSetup {
  Probe probe;
  Eigen::Vector3d outwards{0, 0, 1};  // roughly out of the artefact's plate, machine coordinates
  Eigen::Vector3d squareness_rad = Eigen::Vector3d::Zero();  // xy, xz, yz, as of StageModel
  Eigen::Vector3d scale_ppm = Eigen::Vector3d::Zero();
  double max_residual_um = 50;
  double radius_limit_um =
      HUGE_VAL;  // U (k = 2) of the probe's radius by the faces; beyond it radius_checked_by is demanded
  std::string radius_checked_by;  // in words: a ring gauge, its certificate, the date
};

/// The artefact's faces in one snapshot.
struct ScannedFaces {
  FacePoints points;                               // right-handed sensor coordinates
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();  // where the stage stood, as its scales read it
};

/// What the touched faces tell of the probe's radius, by their directions: a radius that is too large lifts a flank's plane by
/// more than a pose can take back.
struct ToldRadius {
  /// u_mm: standard uncertainty, of touches and the drawing's form; infinite where the directions do not differ.
  double mm = 0, u_mm = 0;
  /// Of the stated radius, as it entered the covariance: the stated one, or what the faces differ by where that is beyond two
  /// standard uncertainties.
  double taken_u_mm = 0;
};

struct CalibrationSolution {
  ArtefactLocation<Machine> touched;
  ArtefactLocation<Sensor> scanned;
  /// With the stage at q_mm. The joint one is stored; the constructed one (the protocol's) stands beside it.
  HtmEstimate<Machine, Sensor> joint, constructed;
  Vector6d disagreement = Vector6d::Zero();  // difference(constructed, joint)
  std::vector<FeatureResidual> residuals;    // "LP scan", "LP touch", ...: about the drawn plane
  ToldRadius radius;
  double rms_um = 0;                  // of the device whose residuals are larger
  std::vector<std::string> findings;  // why it must not be accepted, each with its remedy
};

/// A radius that the faces contradict by more than three standard uncertainties (theirs and the stated one) is a finding, and so
/// is one whose uncertainty is stated as 0, and one that the faces tell no better than radius_limit_um where nobody states how it
/// was checked; from two on its uncertainty is what they differ by.
///
/// Touches go through the stage's squareness and scale, then a probe's radius into the material. The uncertainty
/// of that radius, common to all touches, is added to the covariance. Throws FitRefused, naming the face.
CalibrationSolution solve_calibration(const ArtefactDrawing& drawing, const FaceTouches& touches,
                                      const ScannedFaces& scan, const MachineSetup& machine);

}  // namespace datum
