// Bias of the scanner: running mean of (scan - touch) over the holes measured by both.
//
// A calibration's translation error and a scanner's lost edge pixels are common to nearby holes, so the mean
// of the differences corrects the next scan (thesis, section 2.7.6; daemon/inspection/METROLOGY.md, S11). A
// rotation error grows with the distance between holes and remains in the scatter.
#pragma once

#include <Eigen/Core>

namespace datum {

class ScanBias {
 public:
  /// Adds one hole: (dx, dy, dr) in mm, machine coordinates, scan less touch, and their standard
  /// uncertainties without the part common to all holes.
  void add(const Eigen::Vector3d& scan_minus_touch_mm, const Eigen::Vector3d& u_mm);

  int holes() const { return holes_; }
  /// Zero before the first hole.
  const Eigen::Vector3d& mean_mm() const { return mean_mm_; }
  /// Standard deviation of the differences; zero below two holes.
  Eigen::Vector3d scatter_mm() const;
  /// Standard uncertainty of the mean: the larger of scatter / sqrt(n) and the holes' own u. Infinite before
  /// the first hole, when the bias is unknown.
  Eigen::Vector3d u_mean_mm() const;

 private:
  int holes_ = 0;
  Eigen::Vector3d mean_mm_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d squares_mm2_ = Eigen::Vector3d::Zero();    // of the differences from the mean
  Eigen::Vector3d variances_mm2_ = Eigen::Vector3d::Zero();  // sum of u^2
};

}  // namespace datum
