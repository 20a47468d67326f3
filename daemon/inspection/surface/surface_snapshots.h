// How far several snapshots of a part may lie against each other, and what that makes of lengths across them.
//
// One rigid motion of all snapshots changes no flatness, parallelism or thickness. Between snapshots the stage has moved: the
// calibration's turn, the stage's squareness, scales and readings, and its motion during an exposure shift each for itself.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "calib/calibration.h"
#include "daemon/inspection/surface/surface_planes.h"

namespace datum {

/// Where the stage stood for one snapshot.
struct SnapshotMotion {
  bool moved = false;  // false: no stage is configured, the snapshot is where the calibration was made
  Eigen::Vector3d q_mm = Eigen::Vector3d::Zero();
  double pairing_mm = 0;  // standard uncertainty of its place at the exposure
};

/// Covariance in mm^2 of the snapshots' shifts along `normal` (machine coordinates), less what all of them share. A turn w of the
/// calibration moves a point p by w x (p - T(q)), T where the sensor stood: w x p is one rigid motion, -w x T(q) a shift
/// of each snapshot. Squareness and scales as in motion_covariance(), one reading of the scales a snapshot.
Eigen::MatrixXd shift_covariance(const Calibration& calibration, std::span<const SnapshotMotion> snapshots,
                                 const Eigen::Vector3d& normal);

/// Planes that were fitted to regions together, and what shifts of single snapshots make of them; first order.
class ShiftedPlanes {
 public:
  /// `regions` are those of the fit, `shared` its result. map.area_mm2 is filled.
  ShiftedPlanes(const ParallelPlanes& shared, const std::vector<std::size_t>& regions,
                const ComparedSurface& surface, const SurfaceSettings& settings);

  /// Standard uncertainty in mm of the range of distances of `region`'s points from the planes: root of the sum over the principal
  /// components of `shifts` of the range that each makes by one standard deviation.
  double range_u(const Eigen::MatrixXd& shifts, const ComparedSurface& surface, std::size_t region) const;
  /// Of the distance of the second region's plane from the first one's, mm.
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
  std::vector<std::vector<Share>> shares_;  // of each region of the fit, by snapshot
  std::vector<Share> all_;                  // of each region
  Eigen::Matrix<double, 2, Eigen::Dynamic>
      slope_;  // column s: of the planes where snapshot s is shifted by 1
};

}  // namespace datum
