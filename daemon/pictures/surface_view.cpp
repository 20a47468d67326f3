#include "daemon/pictures/surface_view.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

namespace datum {
namespace {

using Eigen::Vector3d;

Vector3d widen(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

/// z points up where possible; in a view along z, y does.
SurfaceView towards(const std::string& name, const Vector3d& direction) {
  SurfaceView v;
  v.name = name;
  v.towards = direction.normalized();
  const bool along_z = std::abs(v.towards.z()) > 1 - 1e-9;
  const Vector3d upright = along_z ? Vector3d::UnitY() : Vector3d::UnitZ();
  v.right = upright.cross(v.towards).normalized();
  v.up = v.towards.cross(v.right);
  return v;
}

class Painter {
 public:
  explicit Painter(SurfaceRaster* raster) : raster_(raster) {}

  /// Corners as (column, row, depth).
  void take(std::uint32_t facet, const Vector3d (&p)[3]) {
    const double twice = cross(p[0], p[1], p[2].x(), p[2].y());
    if (twice == 0) return;  // seen edge-on
    const auto range = [&](int axis, int count) {
      const auto [low, high] = std::minmax({p[0][axis], p[1][axis], p[2][axis]});
      return std::pair(static_cast<int>(std::ceil(std::max(low, 0.0))),
                       static_cast<int>(std::floor(std::min(high, count - 1.0))));
    };
    const auto [x0, x1] = range(0, raster_->width);
    const auto [y0, y1] = range(1, raster_->height);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const double a = cross(p[1], p[2], x, y) / twice, b = cross(p[2], p[0], x, y) / twice,
                     c = cross(p[0], p[1], x, y) / twice;
        if (a < 0 || b < 0 || c < 0) continue;
        const auto depth = static_cast<float>(a * p[0].z() + b * p[1].z() + c * p[2].z());
        const std::size_t i = raster_->index(x, y);
        if (!(depth > raster_->depth_mm[i])) continue;
        raster_->depth_mm[i] = depth;
        raster_->facet[i] = facet;
      }
  }

 private:
  static double cross(const Vector3d& a, const Vector3d& b, double x, double y) {
    return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
  }
  SurfaceRaster* raster_;
};

/// Scales the part's extent along the view's axes to the raster.
void fit(SurfaceRaster& raster, const TriangleModel& model, const SurfaceView& view, int max_px) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double low[2] = {inf, inf}, high[2] = {-inf, -inf};
  for (const auto& facet : model.corner)
    for (const auto& corner : facet) {
      const double at[2] = {view.right.dot(widen(corner)), view.up.dot(widen(corner))};
      for (int k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], at[k]);
        high[k] = std::max(high[k], at[k]);
      }
    }
  const double longer = std::max({high[0] - low[0], high[1] - low[1], 1e-6});
  raster.mm_per_px = longer / (max_px - 5);
  raster.width = static_cast<int>(std::ceil((high[0] - low[0]) / raster.mm_per_px)) + 5;
  raster.height = static_cast<int>(std::ceil((high[1] - low[1]) / raster.mm_per_px)) + 5;
  raster.left_mm = (low[0] + high[0]) / 2 - (raster.width - 1) / 2.0 * raster.mm_per_px;
  raster.top_mm = (low[1] + high[1]) / 2 + (raster.height - 1) / 2.0 * raster.mm_per_px;
}

}  // namespace

SurfaceView view_of(const std::string& text) {
  static const std::map<std::string, Vector3d> named{
      {"top", {0, 0, 1}},   {"bottom", {0, 0, -1}}, {"front", {0, -1, 0}},    {"back", {0, 1, 0}},
      {"left", {-1, 0, 0}}, {"right", {1, 0, 0}},   {"isometric", {1, -1, 1}}};
  if (const auto found = named.find(text); found != named.end()) return towards(text, found->second);
  std::istringstream in(text);
  Vector3d v;
  char first = 0, second = 0;
  const bool good =
      in >> v.x() >> first >> v.y() >> second >> v.z() && first == ':' && second == ':' && in.peek() == EOF;
  if (!good || !v.allFinite() || !(v.norm() > 1e-6))
    throw std::invalid_argument(
        "view '" + text +
        "': top, bottom, front, back, left, right, isometric or a direction towards the viewer "
        "as X:Y:Z");
  return towards(text, v);
}

Vector3d SurfaceRaster::at(const SurfaceView& view, const Vector3d& place_mm) const {
  return {(view.right.dot(place_mm) - left_mm) / mm_per_px, (top_mm - view.up.dot(place_mm)) / mm_per_px,
          view.towards.dot(place_mm)};
}

SurfaceRaster look_at(const TriangleModel& model, const SurfaceView& view, int max_px) {
  if (max_px < 16 || max_px > 8192)
    throw std::invalid_argument("picture of a surface: " + std::to_string(max_px) +
                                " pixels; 16 to 8192 are allowed");
  SurfaceRaster raster;
  fit(raster, model, view, max_px);
  const std::size_t n = static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.height);
  raster.facet.assign(n, no_facet);
  raster.depth_mm.assign(n, -std::numeric_limits<float>::infinity());
  Painter painter(&raster);
  for (std::uint32_t f = 0; f < model.corner.size(); ++f) {
    Vector3d p[3];
    for (std::size_t k = 0; k < 3; ++k) p[k] = raster.at(view, widen(model.corner[f][k]));
    painter.take(f, p);
  }
  return raster;
}

}  // namespace datum
