#include "daemon/inspection/surface/surface_rays.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspection/surface/in_runs.h"

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
    : rows_(shot.frame->rows),
      cols_(shot.frame->cols),
      facets_(model.corner.size()),
      x_(shot.frame->x),
      y_(shot.frame->y),
      model_from_sensor_(shot.model_from_sensor.matrix()),
      planes_(std::make_unique_for_overwrite<Plane[]>(model.corner.size())) {
  const Htm<Sensor, Model> sensor_from_model = shot.model_from_sensor.inverse();
  rotation_ = sensor_from_model.rotation();
  shift_ = sensor_from_model * Eigen::Vector3d(model.origin.data());
  met_.assign(shot.frame->size(), no_facet);
  z_.assign(met_.size(), -std::numeric_limits<double>::infinity());
  away_.assign(met_.size(), 0);
  project(model, threads);
}

bool SurfaceRays::are_of(const SurfaceShot& shot) const {
  const auto same = [](const AxisScale& a, const AxisScale& b) {
    return a.scale_mm == b.scale_mm && a.offset_mm == b.offset_mm;
  };
  return rows_ == shot.frame->rows && cols_ == shot.frame->cols && same(x_, shot.frame->x) &&
         same(y_, shot.frame->y) && model_from_sensor_ == shot.model_from_sensor.matrix();
}

std::size_t SurfaceRays::bytes() const {
  return facets_ * sizeof planes_[0] + met_.size() * (sizeof met_[0] + sizeof z_[0] + sizeof away_[0]);
}

std::shared_ptr<const SurfaceRays> KeptRays::of(const TriangleModel& model, const SurfaceShot& shot,
                                                std::size_t snapshot, unsigned threads) {
  {
    const std::lock_guard lock(mutex_);
    if (last_.size() <= snapshot) last_.resize(snapshot + 1);
    if (last_[snapshot] && last_[snapshot]->are_of(shot)) return last_[snapshot];
    last_[snapshot].reset();  // its memory is used again
  }
  auto rays = std::make_shared<const SurfaceRays>(model, shot, threads);
  const std::lock_guard lock(mutex_);
  std::size_t bytes = rays->bytes();
  for (const auto& kept : last_) bytes += kept ? kept->bytes() : 0;
  if (bytes <= most_bytes_) last_[snapshot] = rays;
  return rays;
}

SurfaceRays::Corners SurfaceRays::corners_of(const TriangleModel& model, std::uint32_t facet) const {
  Corners p;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& c = model.corner[facet][k];
    p[k] = sensor_place({c[0], c[1], c[2]});
  }
  return p;
}

bool SurfaceRays::can_be_met(const TriangleModel& model, Candidate& c) {
  const Corners p = corners_of(model, c.facet);
  const auto [top, bottom] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
  const auto [left, right] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
  const std::array<int, 2> rows = range_of(y_, rows_, top, bottom), cols = range_of(x_, cols_, left, right);
  if (rows[0] > rows[1] || cols[0] > cols[1]) return false;
  const Eigen::Vector3d n = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
  if (!(std::abs(n.z()) > edge_on)) return false;
  planes_[c.facet] = {p[0].x(), p[0].y(), p[0].z(), -n.x() / n.z(), -n.y() / n.z(), n.z()};
  c = {c.facet, rows[0], rows[1], cols[0], cols[1]};
  return true;
}

void SurfaceRays::project(const TriangleModel& model, unsigned threads) {
  constexpr int band = 16;  // rows
  const std::size_t facets = model.corner.size(), bands = runs_of(static_cast<std::size_t>(rows_), band);
  // of each band of rows, from each run of facets, those that reach into it
  std::vector<std::vector<std::vector<Candidate>>> in_band(
      bands, std::vector<std::vector<Candidate>>(runs_of(facets)));
  in_runs(threads, facets, [&](std::size_t run, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      Candidate c{static_cast<std::uint32_t>(i), 0, 0, 0, 0};
      if (!can_be_met(model, c)) continue;
      for (int b = c.first_row / band; b <= c.last_row / band; ++b)
        in_band[static_cast<std::size_t>(b)][run].push_back(c);
    }
  });
  parallel_for(threads, bands, [&](std::size_t b, unsigned) {
    const int first = static_cast<int>(b) * band;
    for (const std::vector<Candidate>& of_run : in_band[b])
      for (const Candidate& c : of_run) keep_nearest(model, c, first, first + band - 1);
  });
}

/// In the order of facets: of several at the same z the lowest index remains.
void SurfaceRays::keep_nearest(const TriangleModel& model, const Candidate& c, int first_row, int last_row) {
  const std::uint32_t i = c.facet;
  Corners p = corners_of(model, i);
  if (planes_[i].cosine < 0) std::swap(p[1], p[2]);
  const auto [lowest, highest] = std::minmax({p[0].z(), p[1].z(), p[2].z()});
  std::array<double, 3> slack;
  for (std::size_t k = 0; k < 3; ++k)
    slack[k] = -slack_px * pitch_mm() * (p[(k + 1) % 3] - p[k]).head<2>().norm();
  for (int row = std::max(first_row, c.first_row); row <= std::min(last_row, c.last_row); ++row)
    for (int col = c.first_col; col <= c.last_col; ++col) {
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
      away_[at] = planes_[i].cosine < 0;
    }
}

}  // namespace datum
