#include <open3d/geometry/PointCloud.h>

#include "tests/bench/peers.h"

namespace datum::bench {

PaperPlane fit_with_open3d(const std::vector<Xyz>& points) {
  open3d::geometry::PointCloud cloud;
  cloud.points_.reserve(points.size());
  for (const Xyz& p : points) cloud.points_.push_back({p.x, p.y, p.z});
  const Eigen::Vector4d m = std::get<0>(cloud.SegmentPlane(1.0, 3, 1024, 0.999));
  return {-m[0] / m[2], -m[1] / m[2], -m[3] / m[2]};
}

}  // namespace datum::bench
