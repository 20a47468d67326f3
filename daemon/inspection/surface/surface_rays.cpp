#include "daemon/inspection/surface/surface_rays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "daemon/inspection/surface/in_runs.h"
#include "gpu/surface_compare/surface_compare_math.h"

namespace datum {
namespace {

using Corners = std::array<compare::Place3d, 3>;

bool same(const ShotAxis& a, const AxisScale& b) {
  return a.scale_mm == b.scale_mm && a.offset_mm == b.offset_mm;
}
/// A facet seen at a smaller cosine is a line that no ray meets.
constexpr double edge_on = 1e-6;
/// Tolerance in pixels: two facets round their common edge separately, and no gap may remain.
constexpr double slack_px = 1e-6;

/// Range of pixels whose centre can lie between two coordinates.
std::array<int, 2> range_of(const ShotAxis& axis, int count, double low_mm, double high_mm) {
  const auto at = [&](double mm) { return (mm - axis.offset_mm) / axis.scale_mm; };
  const double first = std::ceil(std::max(at(low_mm) - slack_px, 0.0)),
               last = std::floor(std::min(at(high_mm) + slack_px, count - 1.0));
  return {static_cast<int>(std::min(first, double(count))), static_cast<int>(std::max(last, -1.0))};
}

}  // namespace

ShotRays place_of(const TriangleModel& model, const SurfaceShot& shot) {
  const auto put = [](const Eigen::Matrix3d& rotation, const Eigen::Vector3d& shift, double* rows,
                      double* place) {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{rows} = rotation;
    Eigen::Map<Eigen::Vector3d>{place} = shift;
  };
  const Eigen::Vector3d origin(model.origin.data());
  const Htm<Sensor, Model> sensor_from_model = shot.model_from_sensor.inverse();
  ShotRays at;
  at.rows = shot.frame->rows;
  at.cols = shot.frame->cols;
  at.x = {shot.frame->x.scale_mm, shot.frame->x.offset_mm};
  at.y = {shot.frame->y.scale_mm, shot.frame->y.offset_mm};
  put(shot.model_from_sensor.rotation(), shot.model_from_sensor.translation_mm() - origin,
      at.model_from_sensor, at.place);
  put(sensor_from_model.rotation(), sensor_from_model * origin, at.sensor_from_model, at.origin);
  return at;
}

SurfaceRays::SurfaceRays(const TriangleModel& model, const SurfaceShot& shot, unsigned threads)
    : view_(place_of(model, shot)),
      facets_(model.corner.size()),
      model_from_sensor_(shot.model_from_sensor.matrix()),
      planes_(std::make_unique_for_overwrite<FacetPlane[]>(model.corner.size())) {
  met_.assign(view_.pixels(), no_facet);
  z_.assign(met_.size(), -std::numeric_limits<double>::infinity());
  away_.assign(met_.size(), 0);
  view_.facet = met_.data();
  view_.z_mm = z_.data();
  view_.is_away = away_.data();
  project(model, threads);
}

bool SurfaceRays::are_of(const SurfaceShot& shot) const {
  return view_.rows == shot.frame->rows && view_.cols == shot.frame->cols && same(view_.x, shot.frame->x) &&
         same(view_.y, shot.frame->y) && model_from_sensor_ == shot.model_from_sensor.matrix();
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

bool SurfaceRays::can_be_met(const TriangleModel& model, Candidate& c) {
  Corners p;
  compare::corners_of(view_, model.corner[c.facet][0].data(), p.data());
  const auto [top, bottom] = std::minmax({p[0].v[1], p[1].v[1], p[2].v[1]});
  const auto [left, right] = std::minmax({p[0].v[0], p[1].v[0], p[2].v[0]});
  const std::array<int, 2> rows = range_of(view_.y, view_.rows, top, bottom),
                           cols = range_of(view_.x, view_.cols, left, right);
  if (rows[0] > rows[1] || cols[0] > cols[1]) return false;
  const FacetPlane plane = compare::plane_of(p.data());
  if (!(std::abs(plane.cosine) > edge_on)) return false;
  planes_[c.facet] = plane;
  c = {c.facet, rows[0], rows[1], cols[0], cols[1]};
  return true;
}

void SurfaceRays::project(const TriangleModel& model, unsigned threads) {
  constexpr int band = 16;  // rows
  const std::size_t facets = model.corner.size(), bands = runs_of(static_cast<std::size_t>(view_.rows), band);
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
  Corners p;
  compare::corners_of(view_, model.corner[i][0].data(), p.data());
  const FacetPlane& plane = planes_[i];
  if (plane.cosine < 0) std::swap(p[1], p[2]);
  const auto [lowest, highest] = std::minmax({p[0].v[2], p[1].v[2], p[2].v[2]});
  const double pitch_mm = std::max(view_.x.scale_mm, view_.y.scale_mm);
  std::array<double, 3> slack;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto &a = p[k].v, &b = p[(k + 1) % 3].v;
    slack[k] = -slack_px * pitch_mm * Eigen::Vector2d(b[0] - a[0], b[1] - a[1]).norm();
  }
  for (int row = std::max(first_row, c.first_row); row <= std::min(last_row, c.last_row); ++row)
    for (int col = c.first_col; col <= c.last_col; ++col) {
      const double x = compare::at(view_.x, col), y = compare::at(view_.y, row);
      bool holds = true;
      for (std::size_t k = 0; k < 3 && holds; ++k) {
        const auto &a = p[k].v, &b = p[(k + 1) % 3].v;
        holds = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= slack[k];
      }
      if (!holds) continue;
      const double z = std::clamp(compare::plane_mm(plane, x, y), lowest, highest);
      const std::size_t at = index(row, col);
      if (z <= z_[at]) continue;
      z_[at] = z;
      met_[at] = i;
      away_[at] = plane.cosine < 0;
    }
}

}  // namespace datum
