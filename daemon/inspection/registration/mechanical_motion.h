// A board's motion corrected by its holes and outline: what drilling and routing know of it, weighed against parts and marks.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "daemon/inspection/registration/edge_place.h"
#include "daemon/inspection/registration/hole_place.h"
#include "daemon/inspection/registration/motion_fit.h"

namespace datum {

/// One listed hole or edge (borrowed): where it lies, or why it was not found.
struct SoughtHole {
  const AlignmentHole* hole = nullptr;
  HoleFinding finding;
};
struct SoughtEdge {
  const OutlineEdge* edge = nullptr;
  EdgeFinding finding;
};

/// What is known of the motion: correction of it and of its stretch (MotionFit::full), with 0 for what the model does not estimate.
struct MotionKnown {
  Eigen::Matrix<double, 6, 1> correction = Eigen::Matrix<double, 6, 1>::Zero();
  Matrix6d covariance = Matrix6d::Zero();
};

struct MechanicalSearch {
  double offset_um = 0;  // standard uncertainty of what all holes, or all edges, are displaced by together
  Eigen::Vector2d board_size_mm = Eigen::Vector2d::Zero();
  unsigned threads = 1;
};

/// Each within four standard deviations of where the motion puts it (parts and marks, drilling or routing, its own place) and two
/// pixels, at most 3 mm.
std::vector<SoughtHole> seek_holes(const SurfaceScene& scene, const std::vector<AlignmentHole>& holes,
                                   const PlaneMotion& motion, const MotionKnown& known,
                                   const MechanicalSearch& search);
std::vector<SoughtEdge> seek_edges(const SurfaceScene& scene, const std::vector<OutlineEdge>& edges,
                                   const PlaneMotion& motion, const MotionKnown& known,
                                   const MechanicalSearch& search);
template <class Sought>
std::size_t found_of(const std::vector<Sought>& sought) {
  std::size_t n = 0;
  for (const Sought& s : sought) n += s.finding.fit.has_value();
  return n;
}

/// Distances off the motion along directions, with their common covariance in mm^2: off = rows (correction) + error.
struct MechanicalOffsets {
  Eigen::Matrix<double, Eigen::Dynamic, 6> rows;
  Eigen::VectorXd off_mm;
  Eigen::MatrixXd covariance;
  std::vector<std::size_t> feature;  // of the list, for each
};

/// Two of each hole (x, y) and of each edge (its ends, outwards). Covariance: measurement, u_um of each, and offset_um of all, in each
/// direction and over half of the board's diagonal in rotation.
MechanicalOffsets offsets_of(const std::vector<SoughtHole>& holes, const PlaneMotion& motion,
                             const MechanicalSearch& search);
MechanicalOffsets offsets_of(const std::vector<SoughtEdge>& edges, const PlaneMotion& motion,
                             const MechanicalSearch& search);

struct MechanicalJoin {
  MotionKnown known;
  double own_chi2 = 0, against_chi2 = 0;  // among themselves; of what they say against what was known
  int own_freedom = 0, against_freedom = 0;
};

/// Weighted least squares of what was known and the offsets: x = P A' (A P A' + R)^-1 off, with covariance P - P A' (A P A' + R)^-1 A P.
/// Where own_chi2 exceeds its freedom R is multiplied by their ratio (Birge).
MechanicalJoin join_offsets(const MotionKnown& before, const MechanicalOffsets& offsets);

/// What the correction leaves of a feature's offsets: the largest, in mm.
double left_of(const MechanicalOffsets& offsets, std::size_t feature,
               const Eigen::Matrix<double, 6, 1>& correction);

}  // namespace datum
