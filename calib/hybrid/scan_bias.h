// What the scanner says too much: the running mean of (scan - touch) over the holes that both have measured.
//
// A calibration's translation error and the edge pixels that a scanner loses are the same for every hole
// nearby, so the mean of the differences corrects the next scan (thesis 2.7.6, METROLOGY S11). A rotation
// error is not: it grows with the way between holes, and stays in the scatter.
#pragma once

#include <Eigen/Core>

namespace datum {

class ScanBias {
 public:
  /// One hole: (dx, dy, dr) in mm, machine coordinates, scan less touch, and the standard uncertainty of
  /// each, without what all holes share.
  void add(const Eigen::Vector3d& scan_minus_touch_mm, const Eigen::Vector3d& u_mm);

  int holes() const { return holes_; }
  /// Zero before the first hole.
  const Eigen::Vector3d& mean_mm() const { return mean_mm_; }
  /// Standard deviation of the differences; zero below two holes.
  Eigen::Vector3d scatter_mm() const;
  /// Standard uncertainty of the mean: the larger of scatter / sqrt(n) and the holes' own u. Infinite before
  /// the first hole: nothing is known of the bias.
  Eigen::Vector3d u_mean_mm() const;

 private:
  int holes_ = 0;
  Eigen::Vector3d mean_mm_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d squares_mm2_ = Eigen::Vector3d::Zero();    // of the distances from the mean
  Eigen::Vector3d variances_mm2_ = Eigen::Vector3d::Zero();  // sum of u^2
};

}  // namespace datum
