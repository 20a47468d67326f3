// A transform that does not fit what was measured, and which of the usual mistakes made it so.
//
// Each mistake has an exact undoing. A given matrix that fails its evidence is undone in every way; what then
// fits the evidence names the mistake. Where several fit, they are all named and nothing is chosen.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "calib/htm_estimate.h"

namespace datum {

enum class HtmMistake {
  rotation_transposed,     // R^T for R, translation right
  matrix_transposed,       // written for row vectors: the translation stands in the last row
  inverted,                // from_to for to_from (the thesis' equation 2.5, METROLOGY E1)
  translation_negated,     // -T for T
  translation_of_inverse,  // R right, but -R^T T for T
  angle_negated,           // one of Rx, Ry, Rz, or all, turned the wrong way
  angle_order,             // Rz Ry Rx for Rx Ry Rz (METROLOGY E4)
  mirrored_both_sides,     // made in left-handed coordinates on both sides: F H F (METROLOGY E3); looks right
  mirrored_one_side,       // one side left-handed: determinant -1
  unit,                    // translation in m or inch
};
const char* name_of(HtmMistake mistake);

struct NamedMistake {
  HtmMistake mistake;
  std::string detail;         // "x", "all", "input x", "inch"; empty where there is nothing to tell
  Eigen::Matrix4d corrected;  // the given matrix with the mistake undone
};

struct HtmDiagnosis {
  bool fits = false;                    // the given matrix as it is
  std::vector<NamedMistake> explained;  // empty where it fits or nothing explains it
  /// Empty where it fits; else the mistake and the remedy, or that several explain it, or that none does.
  std::string words;
};

/// A point in coordinates of From and of To, mm.
struct PointPair {
  Eigen::Vector3d from_mm, to_mm;
};

/// Fits: the sum of squares of to - M from over sigma_mm is one that noise reaches 999 times in 1000. Any 4x4
/// matrix; pairs should not lie in a plane through symmetric places, or a mirroring cannot be seen. Throws
/// CalibrationError without pairs, with a matrix that is not finite, with sigma_mm not above 0.
HtmDiagnosis diagnose(const Eigen::Matrix4d& given, std::span<const PointPair> pairs, double sigma_mm);

namespace detail {
HtmDiagnosis diagnose(const Eigen::Matrix4d& given, const Eigen::Matrix4d& expected,
                      const Matrix6d& covariance);
}

/// Fits: its difference from `expected` (another calibration, a measurement of the artefact) is one that the
/// covariance allows 999 times in 1000.
template <class To, class From>
HtmDiagnosis diagnose(const Eigen::Matrix4d& given, const HtmEstimate<To, From>& expected) {
  return detail::diagnose(given, expected.htm.matrix(), expected.covariance);
}

}  // namespace datum
