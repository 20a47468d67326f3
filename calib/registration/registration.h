// Several snapshots in machine coordinates: do they agree where they overlap, does that prove the conventions
// by which they got there, and how far may they be wrong (METROLOGY S3: a wrong convention is detected, not
// suffered).
#pragma once

#include <span>
#include <string>

#include "calib/registration/convention.h"
#include "calib/registration/shift_fit.h"

namespace datum {

/// A frame in right-handed sensor coordinates, and where the stage stood.
struct Snapshot {
  const HeightFrame* frame = nullptr;
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();
};

struct RegistrationSettings {
  double noise_sigma_mm = 0;  // of one height, from the sensor's profile; > 0
  int least_samples = 500;    // an overlap of fewer shows nothing
  /// Share of an overlap that may lie off the surface and the snapshots still agree: edges, dropouts'
  /// neighbours. Parts on a share f of a board that is laid over another part of itself disagree on 2 f (1 -
  /// f): 0.05 is reached with f = 0.026, and a board emptier than that proves nothing across z.
  double most_outliers = 0.05;
};

enum class Agreement : std::uint8_t {
  agrees,            // within the model's uncertainty
  exceeds,           // one surface, but shifted by more than the model's uncertainty explains: see the shift
  wrong_convention,  // as stated it is none; with a mistake undone it agrees: see `explained_by`
  contradicts,       // neither as stated nor with any mistake undone
  too_little,        // overlap
};
const char* name_of(Agreement agreement);

struct PairReport {
  std::size_t a = 0, b = 0;  // of the snapshots
  Agreement agreement = Agreement::too_little;
  ShiftFit shift;                                          // as stated
  Eigen::Matrix3d expected_mm2 = Eigen::Matrix3d::Zero();  // covariance of the shift by the model
  std::vector<Convention> explained_by;                    // wrong_convention: one, or several alike
  std::vector<Convention> not_excluded;                    // agrees: mistakes that would look the same here
  std::string text;                                        // for the operator, with the remedy
};

/// Whether snapshot b agrees with a. Throws CalibrationError for settings out of range or a left-handed
/// frame.
PairReport compare(const Snapshot& a, const Snapshot& b, const SnapshotModel& model,
                   const RegistrationSettings& settings);

struct RegistrationReport {
  std::vector<PairReport>
      pairs;  // that overlap, and those that should: each snapshot with at least one other
  /// Every snapshot hangs together with every other by pairs that agree or exceed, and none is contradicted.
  bool usable = false;
  std::vector<Convention> not_excluded;  // by any pair
  std::string text;                      // one line for each finding
};

/// All pairs. Throws as compare().
RegistrationReport check_registration(std::span<const Snapshot> snapshots, const SnapshotModel& model,
                                      const RegistrationSettings& settings);

/// Standard uncertainty along x, y, z, in mm, that the disagreement adds to a point of a snapshot: of two
/// snapshots that differ by D, each is off by D / sqrt(2) in the mean square; the largest of its pairs.
/// Directions that no overlap tells add nothing: the calibration's own covariance stands for them.
Eigen::Vector3d u_registration_mm(const RegistrationReport& report, std::size_t snapshot,
                                  const Eigen::Vector3d& point_mm);

}  // namespace datum
