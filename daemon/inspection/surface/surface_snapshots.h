// Uncertainty of several snapshots of a part relative to each other, and its effect on lengths across them.
//
// A rigid motion common to all snapshots changes no flatness, parallelism or thickness. Between snapshots the
// stage moves: the calibration's rotation, the stage's squareness, scales and readings, and its motion during
// an exposure shift each one separately.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "calib/calibration.h"
#include "daemon/inspection/surface/surface_planes.h"

namespace datum {

struct SnapshotMotion {
  bool moved = false;  // false: no stage is configured, the snapshot is at the calibration position
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();
  double pairing_mm = 0;  // standard uncertainty of its position at the exposure
};

/// Covariance in mm^2 of the snapshots' shifts along `normal` (machine coordinates), without the part common
/// to all. A rotation w of the calibration moves a point p by w x (p - T(q)), T the sensor's position: w x p
/// is one rigid motion, -w x T(q) a shift of each snapshot. Squareness and scales as in motion_covariance(),
/// one reading of the scales per snapshot.
Eigen::MatrixXd shift_covariance(const Calibration& calibration, std::span<const SnapshotMotion> snapshots,
                                 const Eigen::Vector3d& normal);

/// Planes fitted jointly to regions, and the first-order effect of shifts of single snapshots on them.
class ShiftedPlanes {
 public:
  /// `regions` are those of the fit, `shared` is its result. Requires map.area_mm2.
  ShiftedPlanes(const ParallelPlanes& shared, const std::vector<std::size_t>& regions,
                const ComparedSurface& surface, const SurfaceSettings& settings);

  /// Standard uncertainty in mm of the range of distances of `region`'s points from the planes: root sum of
  /// squares, over the principal components of `shifts`, of the range caused by one standard deviation of
  /// each.
  double range_u(const Eigen::MatrixXd& shifts, const ComparedSurface& surface, std::size_t region) const;
  /// Standard uncertainty of the distance of the second region's plane from the first one's, mm.
  double distance_u(const Eigen::MatrixXd& shifts) const;

 private:
  using Place = Eigen::Vector2d;  // along the planes' axes
  struct Share {
    double weight = 0;
    Place sum = Place::Zero();
  };

  Place place_of(const ModelPoint& p) const;

  std::size_t snapshots_;
  Eigen::Matrix<double, 3, 2> axes_;
  std::vector<std::vector<Share>> shares_;          // of each region of the fit, by snapshot
  std::vector<Share> all_;                          // of each region
  Eigen::Matrix<double, 2, Eigen::Dynamic> slope_;  // column s: of the planes when snapshot s is shifted by 1
};

}  // namespace datum
