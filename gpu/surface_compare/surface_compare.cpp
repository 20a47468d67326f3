#include "gpu/surface_compare/surface_compare.h"

#include <algorithm>
#include <cstddef>

#include "gpu/core/parallel_for.h"
#include "gpu/surface_compare/surface_compare_math.h"

namespace datum {
namespace {

struct FacetsOfModel {
  const TriangleModel* model;
  const float* corner(std::uint32_t i) const { return model->corner[i][0].data(); }
  const float* normal(std::uint32_t i) const { return normal(i, Place::face); }
  const float* normal(std::uint32_t i, Place place) const {
    return model->normal[i][static_cast<std::size_t>(place)].data();
  }
};

std::vector<FacetPlane> planes_of(const TriangleModel& model, const ShotRays& rays, unsigned threads) {
  std::vector<FacetPlane> planes(model.corner.size());
  constexpr std::size_t run = 4096;
  parallel_for(threads, (planes.size() + run - 1) / run, [&](std::size_t k, unsigned) {
    for (std::size_t i = k * run; i < std::min(planes.size(), (k + 1) * run); ++i) {
      compare::Place3d corners[3];
      compare::corners_of(rays, model.corner[i][0].data(), corners);
      planes[i] = compare::plane_of(corners);
    }
  });
  return planes;
}

/// Calls work(shot, row, first point) for each row of all snapshots.
template <class Work>
void each_row(const PartShots& shots, unsigned threads, const Work& work) {
  const std::uint32_t* first = shots.first;
  for (std::size_t s = 0; s < shots.count; first += shots.rays[s++].rows)
    parallel_for(threads, static_cast<std::size_t>(shots.rays[s].rows),
                 [&](std::size_t row, unsigned) { work(s, static_cast<int>(row), first[row]); });
}

/// Calls work(column, point) for the pixels of a row that have a point.
template <class Work>
void each_point(const ShotRays& rays, const ShotHeights& heights, int row, std::uint32_t first,
                const Work& work) {
  const std::uint8_t* const classes =
      heights.classes + static_cast<std::size_t>(row) * static_cast<std::size_t>(rays.cols);
  for (int col = 0; col < rays.cols; ++col)
    if (classes[col] == 0) work(col, first++);
}

}  // namespace

std::vector<std::uint32_t> first_points(const ShotRays* rays, const ShotHeights* heights, std::size_t shots,
                                        unsigned threads) {
  std::vector<std::uint32_t> first{0};
  for (std::size_t s = 0; s < shots; ++s) {
    const auto rows = static_cast<std::size_t>(rays[s].rows), cols = static_cast<std::size_t>(rays[s].cols);
    const std::size_t begin = first.size();
    first.resize(begin + rows);
    constexpr std::size_t band = 16;
    parallel_for(threads, (rows + band - 1) / band, [&](std::size_t k, unsigned) {
      for (std::size_t row = k * band; row < std::min(rows, (k + 1) * band); ++row) {
        const std::uint8_t* const at = heights[s].classes + row * cols;
        first[begin + row] = static_cast<std::uint32_t>(std::count(at, at + cols, 0));
      }
    });
    for (std::size_t k = begin; k < first.size(); ++k) first[k] += first[k - 1];
  }
  return first;
}

std::vector<ModelPoint> points_of(const PartShots& shots, unsigned threads) {
  std::vector<ModelPoint> points(shots.points);
  each_row(shots, threads, [&](std::size_t s, int row, std::uint32_t first) {
    const ShotHeights& h = shots.heights[s];
    each_point(shots.rays[s], h, row, first, [&](int col, std::uint32_t i) {
      const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(shots.rays[s].cols) +
                                static_cast<std::size_t>(col);
      points[i] = compare::point_of(shots.rays[s], row, col, compare::at(h.z, compare::count_at(h, pixel)));
    });
  });
  return points;
}

void sum_compared(const ModelFacets& facets, std::vector<ModelPoint> points, const PartShots& shots,
                  const MatchOfPoints& how, FacetSums* out) {
  for (ModelPoint& p : points)
    p = {static_cast<float>(p.x - how.origin[0]), static_cast<float>(p.y - how.origin[1]),
         static_cast<float>(p.z - how.origin[2])};
  std::vector<std::uint16_t> view(points.size());
  std::size_t row = 0;
  for (std::size_t s = 0; s < shots.count; ++s) {
    const std::uint32_t first = shots.first[row];
    row += static_cast<std::size_t>(shots.rays[s].rows);
    std::fill(view.begin() + first, view.begin() + shots.first[row], static_cast<std::uint16_t>(s));
  }
  ScannedSurface scan;
  scan.points = points.data();
  scan.view = view.data();
  scan.point_count = points.size();
  scan.directions = how.directions;
  scan.view_count = shots.count;
  ScanMatchSettings settings;
  settings.by_points = how.settings;
  settings.by_surface.gate = how.settings.gate;
  sum_scan(facets, scan, settings, cpu_backend(1), out, nullptr);
}

void compare_shots(const ComparedModel& model, const PartShots& shots, const CompareSettings& settings,
                   const Backend& backend, const ComparedPoints& out) {
  const TriangleModel& triangles = *model.searched.triangles;
  const std::vector<ModelPoint> points = points_of(shots, backend.threads);
  model.searched.search->find(points.data(), points.size(), settings.distance, backend, out.distances);
  std::vector<std::vector<FacetPlane>> planes;
  for (std::size_t s = 0; s < shots.count; ++s)
    planes.push_back(planes_of(triangles, shots.rays[s], backend.threads));
  const auto region_of = [&](std::uint32_t facet) { return model.areas->region[facet]; };
  each_row(shots, backend.threads, [&](std::size_t s, int row, std::uint32_t first) {
    const compare::PixelJudge<FacetsOfModel> judge({shots.rays[s], shots.heights[s], planes[s].data(),
                                                    static_cast<std::uint32_t>(triangles.corner.size())},
                                                   {&triangles}, settings);
    each_point(shots.rays[s], shots.heights[s], row, first, [&](int col, std::uint32_t i) {
      const compare::JudgedPixel pixel = judge.judge(row, col, points[i], out.distances[i]);
      out.judgements[i] = compare::keep(pixel, region_of, &out.distances[i]);
    });
  });
  share_areas(*model.areas, {points.data(), out.distances, points.size()}, backend, out.areas);
}

}  // namespace datum
