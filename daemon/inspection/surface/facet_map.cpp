#include "daemon/inspection/surface/facet_map.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

float cosine_of(double degrees) { return static_cast<float>(std::cos(degrees * M_PI / 180)); }

Eigen::Vector3f vector_of(const ModelPoint& p) { return {p.x, p.y, p.z}; }

/// One list after the other.
std::vector<ScannedFacet> joined(const std::vector<std::vector<ScannedFacet>>& lists, unsigned threads) {
  std::vector<std::size_t> first{0};
  for (const auto& list : lists) first.push_back(first.back() + list.size());
  std::vector<ScannedFacet> all(first.back());
  parallel_for(threads, lists.size(), [&](std::size_t k, unsigned) {
    std::copy(lists[k].begin(), lists[k].end(), all.begin() + static_cast<std::ptrdiff_t>(first[k]));
  });
  return all;
}

/// Fills the lists or the sums alone.
void fill(FacetMap& map, const ScannedSurface& scan, const ScanMatchSettings& how, FacetsWanted wanted,
          FacetMatcher& matcher, unsigned threads) {
  const std::shared_ptr<const ModelFacets>& model = map.pieces->facets;
  const std::size_t regions = model->regions->total.size();
  const auto room = [](auto& list, bool is_wanted, std::size_t count) {
    if (is_wanted) list.resize(count);
    return is_wanted ? list.data() : nullptr;
  };
  FacetSums* const by_points = room(map.sums_by_points, wanted.by_points, regions);
  FacetSums* const by_surface = room(map.sums_by_surface, wanted.by_surface, regions);
  if (!wanted.lists) return matcher.sum(model, scan, how, by_points, by_surface);
  matcher.match(model, scan, how, room(map.by_points, wanted.by_points, model->facet.size()),
                room(map.by_surface, wanted.by_surface, model->facet.size()));
  if (by_points) sum_facets(*model, map.by_points.data(), threads, by_points);
  if (by_surface) sum_facets(*model, map.by_surface.data(), threads, by_surface);
}

FacetMap begun_map(const SurfaceModel& model, const FacetMapSettings& demand) {
  FacetMap map;
  map.settings = demand;
  map.pieces = model.pieces;
  map.model = model.pieces->model;
  return map;
}

PointDirection towards_sensor(const SurfaceShot& shot) {
  const Eigen::Vector3f t = shot.model_from_sensor.rotation().col(2).cast<float>();
  return {t.x(), t.y(), t.z()};
}

ScanMatchSettings match_settings(const SurfaceSettings& settings, const FacetMapSettings& demand) {
  ScanMatchSettings how;
  how.by_points.gate = how.by_surface.gate = static_cast<float>(demand.gate_mm);
  how.by_points.least_cosine = cosine_of(settings.max_view_deg);
  how.by_points.least = demand.least;
  how.by_points.sharp_cosine = how.by_surface.sharp_cosine = cosine_of(settings.edge_deg);
  return how;
}

}  // namespace

std::vector<ScannedFacet> facets_of(const SnapshotGrid& grid, std::span<const ModelPoint> points,
                                    const Eigen::Vector3f& towards_sensor, double max_view_deg,
                                    unsigned threads) {
  const float least_cosine = cosine_of(max_view_deg);
  constexpr std::size_t band = 16;  // rows
  const auto rows = static_cast<std::size_t>(std::max(0, grid.rows - 1));
  std::vector<std::vector<ScannedFacet>> of_band(runs_of(rows, band));
  const auto join = [&](std::size_t run, std::size_t from, std::size_t to) {
    std::vector<ScannedFacet>& facets = of_band[run];
    facets.reserve(2 * (to - from) * static_cast<std::size_t>(grid.cols));
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      if (a == no_point || b == no_point || c == no_point) return;
      const Eigen::Vector3f p = vector_of(points[a]), q = vector_of(points[b]), r = vector_of(points[c]);
      const Eigen::Vector3f normal = (q - p).cross(r - p);
      if (!(normal.dot(towards_sensor) >= least_cosine * normal.norm())) return;
      facets.push_back({a, b, c});
    };
    const auto cols = static_cast<std::size_t>(grid.cols);
    for (std::size_t row = from; row < to; ++row) {
      const std::uint32_t *upper = grid.point.data() + row * cols, *lower = upper + cols;
      for (std::size_t col = 0; col + 1 < cols; ++col) {
        add(upper[col], upper[col + 1], lower[col + 1]);
        add(upper[col], lower[col + 1], lower[col]);
      }
    }
  };
  in_runs(threads, rows, join, band);
  return joined(of_band, threads);
}

FacetsWanted facets_wanted(const Recipe& recipe) {
  FacetsWanted wanted;
  if (!recipe.surface->facet_map) return wanted;
  for (const Component& region : recipe.components)
    for (const Check& check : region.checks) {
      if (!is_of_facets(check.characteristic)) continue;
      (check.characteristic < Characteristic::ffm_mean ? wanted.by_points : wanted.by_surface) = true;
      wanted.lists |= check.characteristic == Characteristic::pfm_percentile ||
                      check.characteristic == Characteristic::ffm_percentile;
    }
  const std::vector<PartFiles>& files = recipe.surface->settings.files;
  if (std::find(files.begin(), files.end(), PartFiles::facets) != files.end())
    wanted.by_points = wanted.by_surface = wanted.lists = true;
  return wanted;
}

FacetMap map_facets(const SurfaceModel& model, const SurfaceSettings& settings,
                    const FacetMapSettings& demand, FacetsWanted wanted, const PlacedSurface& surface,
                    std::span<const SurfaceShot> shots, FacetMatcher& matcher, unsigned threads) {
  FacetMap out = begun_map(model, demand);

  // the pieces' origin differs from the model's by a rounding
  const auto& origin = out.model->origin;
  UnsetList<ModelPoint> points(surface.points.size());
  in_runs(threads, points.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const ModelPoint& p = surface.points[i];
      points[i] = {static_cast<float>(p.x - origin[0]), static_cast<float>(p.y - origin[1]),
                   static_cast<float>(p.z - origin[2])};
    }
  });
  std::vector<PointDirection> directions;
  std::vector<std::vector<ScannedFacet>> of_shot;
  for (std::size_t s = 0; s < shots.size(); ++s) {
    const PointDirection t = directions.emplace_back(towards_sensor(shots[s]));
    if (wanted.by_surface)
      of_shot.push_back(facets_of(surface.grids[s], points, {t.x, t.y, t.z}, settings.max_view_deg, threads));
  }
  const std::vector<ScannedFacet> scanned =
      of_shot.size() == 1 ? std::move(of_shot.front()) : joined(of_shot, threads);

  fill(out,
       {points.data(), surface.snapshot.data(), points.size(), directions.data(), directions.size(),
        scanned.data(), scanned.size()},
       match_settings(settings, demand), wanted, matcher, threads);
  return out;
}

std::shared_ptr<SumsByPoints> sums_by_points(const SurfaceModel& model, const SurfaceSettings& settings,
                                             const FacetMapSettings& demand,
                                             std::span<const SurfaceShot> shots) {
  auto sums = std::make_shared<SumsByPoints>();
  sums->map = begun_map(model, demand);
  sums->map.sums_by_points.resize(model.pieces->facets->regions->total.size());
  for (const SurfaceShot& shot : shots) sums->directions.push_back(towards_sensor(shot));
  FacetsToSum& to = sums->sums;
  to.model = model.pieces->facets;
  to.how.settings = match_settings(settings, demand).by_points;
  std::copy_n(model.pieces->model->origin.begin(), 3, to.how.origin);
  to.how.directions = sums->directions.data();
  to.out = sums->map.sums_by_points.data();
  return sums;
}

}  // namespace datum
