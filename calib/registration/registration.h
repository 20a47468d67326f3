// Registration of several snapshots in machine coordinates: whether they agree in their overlaps, whether
// that confirms the stated conventions, and the remaining uncertainty. A wrong convention is detected and not
// only a cause of bad results (daemon/inspection/METROLOGY.md, S3).
#pragma once

#include <span>
#include <string>

#include "calib/registration/convention.h"
#include "calib/registration/shift_fit.h"

namespace datum {

/// A frame in right-handed sensor coordinates, and the stage's position.
struct Snapshot {
  const HeightFrame* frame = nullptr;
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();
};

struct SnapshotCheckSettings {
  double noise_sigma_mm = 0;  // of one height, from the sensor's profile; > 0
  int least_samples = 500;    // a smaller overlap has no evidence
  /// Largest share of an overlap's points off the surface while the snapshots still agree: edges, neighbours
  /// of dropouts. Parts on a share f of a board laid over another part of itself disagree on 2 f (1 - f):
  /// 0.05 is reached at f = 0.026. An emptier board proves nothing across z.
  double most_outliers = 0.05;
};

enum class Agreement : std::uint8_t {
  agrees,            // within the model's uncertainty
  exceeds,           // one surface, but shifted by more than the model's uncertainty explains
  wrong_convention,  // contradicts as stated, agrees with a mistake corrected: see `explained_by`
  contradicts,       // contradicts as stated and with every mistake corrected
  too_little,        // overlap is too small
};
const char* name_of(Agreement agreement);

struct PairReport {
  std::size_t a = 0, b = 0;  // indices of the snapshots
  Agreement agreement = Agreement::too_little;
  ShiftFit shift;                                          // as stated
  Eigen::Matrix3d expected_mm2 = Eigen::Matrix3d::Zero();  // the model's covariance of the shift
  /// wrong_convention: one mistake, or several equivalent ones.
  std::vector<Convention> explained_by;
  std::vector<Convention> not_excluded;  // agrees: mistakes that would not be visible here
  std::string text;                      // for the operator, with the remedy
};

/// Whether snapshot b agrees with a. Throws CalibrationError for settings out of range or a left-handed
/// frame.
PairReport compare(const Snapshot& a, const Snapshot& b, const SnapshotModel& model,
                   const SnapshotCheckSettings& settings);

struct RegistrationReport {
  /// Overlapping pairs, and expected ones: each snapshot with at least one other.
  std::vector<PairReport> pairs;
  /// Every snapshot is connected with every other by pairs that agree or exceed, and no pair contradicts.
  bool usable = false;
  std::vector<Convention> not_excluded;  // by any pair
  std::string text;                      // one line for each finding
};

/// All pairs. Throws as compare().
RegistrationReport check_registration(std::span<const Snapshot> snapshots, const SnapshotModel& model,
                                      const SnapshotCheckSettings& settings);

/// Mistakes that explain what neighbouring snapshots show (each with the one before) where they contradict each other as stated.
/// A mistake must bring all pairs together that then overlap, and those that contradicted must have texture across x and
/// across y, not each of them both. Empty: the stated conventions stand, or nothing explains it. Throws as compare().
std::vector<Convention> mistaken_conventions(std::span<const Snapshot> snapshots, const SnapshotModel& model,
                                             const SnapshotCheckSettings& settings);

/// Standard uncertainty along x, y, z, in mm, that the disagreement adds to a point of a snapshot. Of two
/// snapshots that differ by D, each is wrong by D / sqrt(2) in the mean square; the largest of its pairs
/// counts. Directions that no overlap determines add nothing: the calibration's own covariance covers them.
Eigen::Vector3d u_registration_mm(const RegistrationReport& report, std::size_t snapshot,
                                  const Eigen::Vector3d& point_mm);

}  // namespace datum
