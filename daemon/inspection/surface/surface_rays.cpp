#include "daemon/inspection/surface/surface_rays.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

/// A facet seen at a smaller cosine is a line that no ray meets.
constexpr double edge_on = 1e-6;
/// Tolerance in pixels: two facets round their common edge separately, and no gap may remain.
constexpr double slack_px = 1e-6;

/// Range of pixels whose centre can lie between two coordinates.
std::array<int, 2> range_of(const AxisScale& axis, int count, double low_mm, double high_mm) {
  const auto at = [&](double mm) { return (mm - axis.offset_mm) / axis.scale_mm; };
  const double first = std::ceil(std::max(at(low_mm) - slack_px, 0.0)),
               last = std::floor(std::min(at(high_mm) + slack_px, count - 1.0));
  return {static_cast<int>(std::min(first, double(count))), static_cast<int>(std::max(last, -1.0))};
}

}  // namespace

SurfaceRays::SurfaceRays(const TriangleModel& model, const SurfaceShot& shot, unsigned threads)
    : rows_(shot.frame->rows), cols_(shot.frame->cols), x_(shot.frame->x), y_(shot.frame->y) {
  const Htm<Sensor, Model> sensor_from_model = shot.model_from_sensor.inverse();
  rotation_ = sensor_from_model.rotation();
  shift_ = sensor_from_model * Eigen::Vector3d(model.origin.data());
  planes_.resize(model.corner.size());
  met_.assign(shot.frame->size(), no_facet);
  z_.assign(met_.size(), -std::numeric_limits<double>::infinity());
  project(model, threads);
}

Eigen::Vector3d SurfaceRays::sensor_place(const std::array<double, 3>& model_place) const {
  return rotation_ * Eigen::Vector3d(model_place.data()) + shift_;
}

Eigen::Vector2i SurfaceRays::pixel_of(const Eigen::Vector3d& place) const {
  const auto at = [](const AxisScale& axis, double mm) {
    return static_cast<int>(std::clamp(std::round((mm - axis.offset_mm) / axis.scale_mm), -1e9, 1e9));
  };
  return {at(y_, place.y()), at(x_, place.x())};
}

SurfaceRays::Corners SurfaceRays::corners_of(const TriangleModel& model, std::uint32_t facet) const {
  Corners p;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& c = model.corner[facet][k];
    p[k] = sensor_place({c[0], c[1], c[2]});
  }
  return p;
}

void SurfaceRays::project(const TriangleModel& model, unsigned threads) {
  constexpr std::size_t run = 4096;
  std::vector<std::array<int, 2>> rows_of(planes_.size(), {0, -1});
  parallel_for(threads, (planes_.size() + run - 1) / run, [&](std::size_t r, unsigned) {
    for (std::size_t i = r * run; i < std::min(planes_.size(), (r + 1) * run); ++i) {
      const Corners p = corners_of(model, static_cast<std::uint32_t>(i));
      const Eigen::Vector3d n = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
      if (!(std::abs(n.z()) > edge_on)) {
        planes_[i] = {p[0].x(), p[0].y(), p[0].z(), 0, 0, 0};
        continue;
      }
      planes_[i] = {p[0].x(), p[0].y(), p[0].z(), -n.x() / n.z(), -n.y() / n.z(), n.z()};
      const auto [low, high] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
      rows_of[i] = range_of(y_, rows_, low, high);
    }
  });
  constexpr int band = 32;
  const auto bands = static_cast<std::size_t>((rows_ + band - 1) / band);
  parallel_for(threads, bands, [&](std::size_t b, unsigned) {
    const int first = static_cast<int>(b) * band;
    keep_nearest(model, rows_of, first, std::min(rows_, first + band) - 1);
  });
}

/// In the order of facets: of several at the same z the lowest index remains.
void SurfaceRays::keep_nearest(const TriangleModel& model, const std::vector<std::array<int, 2>>& rows_of,
                               int first, int last) {
  for (std::uint32_t i = 0; i < rows_of.size(); ++i) {
    const int low = std::max(first, rows_of[i][0]), high = std::min(last, rows_of[i][1]);
    if (low > high) continue;
    Corners p = corners_of(model, i);
    if (planes_[i].cosine < 0) std::swap(p[1], p[2]);
    const auto [left, right] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
    const std::array<int, 2> cols = range_of(x_, cols_, left, right);
    const auto [lowest, highest] = std::minmax({p[0].z(), p[1].z(), p[2].z()});
    std::array<double, 3> slack;
    for (std::size_t k = 0; k < 3; ++k)
      slack[k] = -slack_px * pitch_mm() * (p[(k + 1) % 3] - p[k]).head<2>().norm();
    for (int row = low; row <= high; ++row)
      for (int col = cols[0]; col <= cols[1]; ++col) {
        const double x = x_mm(col), y = y_mm(row);
        bool holds = true;
        for (std::size_t k = 0; k < 3 && holds; ++k) {
          const Eigen::Vector3d &a = p[k], &b = p[(k + 1) % 3];
          holds = (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x()) >= slack[k];
        }
        if (!holds) continue;
        const double z = std::clamp(plane_mm(i, x, y), lowest, highest);
        const std::size_t at = index(row, col);
        if (z <= z_[at]) continue;
        z_[at] = z;
        met_[at] = i;
      }
  }
}

}  // namespace datum
