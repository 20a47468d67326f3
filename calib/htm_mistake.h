// Diagnosis of a transform that contradicts measurements: which common mistake explains it.
//
// Each mistake has an exact inverse operation. A matrix that contradicts the evidence is corrected in every
// way; each correction that fits names its mistake. Where several fit, all are named and none is chosen.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "calib/htm_estimate.h"

namespace datum {

enum class HtmMistake {
  rotation_transposed,     // R^T for R, translation correct
  matrix_transposed,       // written for row vectors: the translation is in the last row
  inverted,                // from_to for to_from (thesis equation 2.5; daemon/inspection/METROLOGY.md, E1)
  translation_negated,     // -T for T
  translation_of_inverse,  // R correct, but -R^T T for T
  angle_negated,           // one of Rx, Ry, Rz, or all, with the wrong sign
  angle_order,             // Rz Ry Rx for Rx Ry Rz (METROLOGY.md, E4)
  mirrored_both_sides,     // left-handed on both sides: F H F (METROLOGY.md, E3); the determinant is +1
  mirrored_one_side,       // one side left-handed: determinant -1
  unit,                    // translation in m or inch
};
const char* name_of(HtmMistake mistake);

struct NamedMistake {
  HtmMistake mistake;
  std::string detail;         // "x", "all", "input x", "inch"; empty where not applicable
  Eigen::Matrix4d corrected;  // the given matrix with the mistake corrected
};

struct HtmDiagnosis {
  bool fits = false;                    // the given matrix fits
  std::vector<NamedMistake> explained;  // empty where it fits or no mistake explains it
  /// Empty where it fits; else the mistake and the remedy, or a statement that several or none explain it.
  std::string words;
};

/// A point in From's and in To's coordinates, mm.
struct PointPair {
  Eigen::Vector3d from_mm, to_mm;
};

/// The matrix fits where the sum of squares of (to - M from) / sigma_mm is within its 0.999 quantile. Accepts
/// any 4x4 matrix. Pairs should not be coplanar and symmetric, or a mirroring is not detectable. Throws
/// CalibrationError without pairs, for a non-finite matrix, or where sigma_mm is not above 0.
HtmDiagnosis diagnose(const Eigen::Matrix4d& given, std::span<const PointPair> pairs, double sigma_mm);

namespace detail {
HtmDiagnosis diagnose(const Eigen::Matrix4d& given, const Eigen::Matrix4d& expected,
                      const Matrix6d& covariance);
}

/// The matrix fits where its difference from `expected` (another calibration, a measurement of the artefact)
/// is within the covariance's 0.999 quantile.
template <class To, class From>
HtmDiagnosis diagnose(const Eigen::Matrix4d& given, const HtmEstimate<To, From>& expected) {
  return detail::diagnose(given, expected.htm.matrix(), expected.covariance);
}

}  // namespace datum
