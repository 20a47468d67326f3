#include "tests/virtual_cell/part_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace datum {
namespace {

using Eigen::Vector3d;

constexpr double nothing = -std::numeric_limits<double>::infinity();

class Looker {
 public:
  Looker(const TwinView& view, TwinSurface* seen) : view_(view), seen_(seen) {
    const auto n = static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols);
    seen->z_mm.assign(n, nothing);
    seen->classes.assign(n, PixelClass::no_data);
  }

  /// Corners as (column, row, z in mm); keeps the point nearest to the sensor.
  void take(const PartFacet& f, bool steep) {
    const Vector3d normal = (f[1] - f[0]).cross(f[2] - f[0]);
    const auto range = [&](int axis, int count) {
      const auto [low, high] = std::minmax({f[0][axis], f[1][axis], f[2][axis]});
      return std::pair(static_cast<int>(std::ceil(std::max(low, 0.0))),
                       static_cast<int>(std::floor(std::min(high, count - 1.0))));
    };
    const auto [col0, col1] = range(0, view_.cols);
    const auto [row0, row1] = range(1, view_.rows);
    for (int row = row0; row <= row1; ++row)
      for (int col = col0; col <= col1; ++col) {
        if (!holds(f, col, row)) continue;
        const double z =
            f[0].z() - (normal.x() * (col - f[0].x()) + normal.y() * (row - f[0].y())) / normal.z();
        const std::size_t i = index(row, col);
        if (z <= seen_->z_mm[i]) continue;
        seen_->z_mm[i] = z;
        seen_->classes[i] = steep ? PixelClass::no_data : PixelClass::ok;
      }
  }

  /// Light along +x: a step's shadow is shadow_slope times its height.
  void cast_shadows() {
    for (int row = 0; row < view_.rows; ++row) {
      double light = nothing;  // the lowest lit height
      for (int col = 0; col < view_.cols; ++col) {
        if (view_.shadow_slope > 0) light -= view_.x.scale_mm / view_.shadow_slope;
        const std::size_t i = index(row, col);
        if (view_.shadow_slope > 0 && seen_->z_mm[i] < light && seen_->classes[i] == PixelClass::ok)
          seen_->classes[i] = PixelClass::shadow;
        light = std::max(light, seen_->z_mm[i]);
        if (seen_->z_mm[i] == nothing) seen_->z_mm[i] = 0;
      }
    }
  }

 private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(view_.cols) +
           static_cast<std::size_t>(col);
  }
  /// Borders included: a point on a common border belongs to either facet.
  static bool holds(const PartFacet& f, double col, double row) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d &a = f[k], &b = f[(k + 1) % 3];
      if ((b.x() - a.x()) * (row - a.y()) - (b.y() - a.y()) * (col - a.x()) < 0) return false;
    }
    return true;
  }

  const TwinView& view_;
  TwinSurface* seen_;
};

}  // namespace

TwinSurface look_at(const std::vector<PartFacet>& facets, const Eigen::Matrix4d& sensor_from_part,
                    const TwinView& view) {
  TwinSurface seen;
  Looker looker(view, &seen);
  const double steep = std::cos(steepest_deg * std::numbers::pi / 180);
  for (const PartFacet& facet : facets) {
    PartFacet f;
    for (std::size_t k = 0; k < 3; ++k) f[k] = (sensor_from_part * facet[k].homogeneous()).head<3>();
    const double cosine = (f[1] - f[0]).cross(f[2] - f[0]).normalized().z();
    if (cosine <= 1e-9) continue;  // facing away or edge-on: a nearer facet covers it
    for (Vector3d& v : f)
      v.head<2>() << (v.x() - view.x.offset_mm) / view.x.scale_mm,
          (v.y() - view.y.offset_mm) / view.y.scale_mm;
    looker.take(f, cosine < steep);
  }
  looker.cast_shadows();
  return seen;
}

}  // namespace datum
