#include "calib/hybrid/scan_bias.h"

#include <cmath>
#include <limits>

namespace datum {

// Welford's update (1962): no difference of large sums.
void ScanBias::add(const Eigen::Vector3d& scan_minus_touch_mm, const Eigen::Vector3d& u_mm) {
  ++holes_;
  const Eigen::Vector3d before = scan_minus_touch_mm - mean_mm_;
  mean_mm_ += before / holes_;
  squares_mm2_ += before.cwiseProduct(scan_minus_touch_mm - mean_mm_);
  variances_mm2_ += u_mm.cwiseAbs2();
}

Eigen::Vector3d ScanBias::scatter_mm() const {
  if (holes_ < 2) return Eigen::Vector3d::Zero();
  return (squares_mm2_ / (holes_ - 1)).cwiseSqrt();
}

Eigen::Vector3d ScanBias::u_mean_mm() const {
  if (holes_ == 0) return Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity());
  return (scatter_mm() / std::sqrt(holes_)).cwiseMax(variances_mm2_.cwiseSqrt() / holes_);
}

}  // namespace datum
