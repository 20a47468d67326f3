#include "daemon/inspection/surface/surface_compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <stdexcept>

#include "daemon/inspection/surface/in_runs.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_judge.h"
#include "daemon/inspection/surface/surface_patches.h"

namespace datum {
namespace {

constexpr std::size_t most_points = std::size_t{1} << 28;

Eigen::Vector3d origin_of(const SurfaceModel& model) {
  return Eigen::Map<const Eigen::Vector3d>(model.triangles->origin.data());
}

std::size_t valid_in(const HeightFrame& f, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t pixel) { return f.classes.begin() + static_cast<std::ptrdiff_t>(pixel); };
  return static_cast<std::size_t>(std::count(at(from), at(to), PixelClass::ok));
}

constexpr std::size_t band = 8;  // rows of a run

/// Of each band of rows the number of its first point, and behind the last.
std::vector<std::size_t> first_points(const HeightFrame& f, std::size_t first, unsigned threads) {
  const auto rows = static_cast<std::size_t>(f.rows), cols = static_cast<std::size_t>(f.cols);
  std::vector<std::size_t> of_band(runs_of(rows, band) + 1);
  in_runs(
      threads, rows,
      [&](std::size_t run, std::size_t from, std::size_t to) {
        of_band[run + 1] = valid_in(f, from * cols, to * cols);
      },
      band);
  of_band[0] = first;
  for (std::size_t k = 1; k < of_band.size(); ++k) of_band[k] += of_band[k - 1];
  return of_band;
}

/// Every pixel with a height, in the order of rows and columns.
void add_points(const SurfaceShot& shot, const Eigen::Vector3d& origin, std::uint16_t number,
                unsigned threads, ComparedSurface& out) {
  const HeightFrame& f = *shot.frame;
  const Eigen::Matrix3d r = shot.model_from_sensor.rotation();
  const Eigen::Vector3d t = shot.model_from_sensor.translation_mm() - origin;
  SnapshotGrid& grid = out.grids.emplace_back();
  grid.rows = f.rows;
  grid.cols = f.cols;
  grid.point.resize(f.size());
  const std::vector<std::size_t> first = first_points(f, out.map.points.size(), threads);
  out.map.points.resize(first.back());
  const auto place = [&](const auto& counts, std::size_t run, std::size_t from, std::size_t to) {
    std::size_t point = first[run], i = from * static_cast<std::size_t>(f.cols);
    for (std::size_t row = from; row < to; ++row) {
      for (int col = 0; col < f.cols; ++col, ++i) {
        grid.point[i] = no_point;
        if (f.classes[i] != PixelClass::ok) continue;
        const Eigen::Vector3d sensor(f.x.at(col), f.y.at(static_cast<double>(row)),
                                     f.z.at(static_cast<double>(counts[i])));
        const Eigen::Vector3f p = (r * sensor + t).cast<float>();
        out.map.points[point] = {p.x(), p.y(), p.z()};
        grid.point[i] = static_cast<std::uint32_t>(point++);
      }
    }
  };
  std::visit(
      [&](const auto& counts) {
        in_runs(
            threads, static_cast<std::size_t>(f.rows),
            [&](std::size_t run, std::size_t from, std::size_t to) { place(counts, run, from, to); }, band);
      },
      f.counts);
  out.map.snapshot.resize(out.map.points.size(), number);
}

DistanceSettings distance_settings(const SurfaceSettings& settings, double search_mm) {
  DistanceSettings d;
  d.search = static_cast<float>(search_mm);
  d.sharp_cosine = static_cast<float>(std::cos(settings.edge_deg * M_PI / 180));
  return d;
}

std::uint16_t region_of(const SurfaceModel& model, std::uint32_t facet) {
  return facet == no_facet ? no_region : model.sides[facet].region;
}

void keep(const SurfaceModel& model, const JudgedPixel& pixel, std::uint32_t i, ComparedSurface& out) {
  ModelDistance& d = out.map.distances[i];
  if (pixel.along_ray) d.place = Place::face;
  if (pixel.facet != no_facet) d.facet = pixel.facet;
  d.distance = static_cast<float>(pixel.deviation_mm);
  const std::uint16_t charged = region_of(model, pixel.charged);
  out.map.region[i] = pixel.facet == pixel.charged ? charged : region_of(model, pixel.facet);
  switch (pixel.judgement) {
    case Judgement::face:
      d.kind = MatchClass::face;
      out.face_region[i] = out.judged_region[i] = charged;
      return;
    case Judgement::edge:
      d.kind = MatchClass::edge;
      out.judged_region[i] = charged;
      return;
    case Judgement::rim:
      return;
    case Judgement::beyond:
      out.is_beyond[i] = 1;
      out.beyond_region[i] = charged;
      [[fallthrough]];
    case Judgement::explained:
      d = ModelDistance{};
  }
}

/// Numbers of points that are no evidence.
struct Excluded {
  std::atomic<std::uint64_t> beyond = 0, explained = 0;

  void count(const ComparedSurface& surface, std::size_t from, std::size_t to) {
    std::uint64_t some_beyond = 0, some_explained = 0;
    for (std::size_t i = from; i < to; ++i) {
      some_beyond += surface.is_beyond[i];
      some_explained += surface.is_beyond[i] == 0 && surface.map.distances[i].kind == MatchClass::no_data;
    }
    beyond += some_beyond;
    explained += some_explained;
  }
};

/// A row's facets are in the cache while its points are put on their patches.
void judge_snapshot(const SurfaceModel& model, const SurfaceSettings& settings, const SurfaceShot& shot,
                    const SurfaceRays& rays, const SnapshotGrid& grid, unsigned threads,
                    PointsOnPatches* on_patches, Excluded& excluded, ComparedSurface& out) {
  const double least_cosine = std::cos(settings.max_view_deg * M_PI / 180);
  const SurfaceJudge judge(model, rays, shot, settings.search_mm, least_cosine);
  const auto judge_row = [&](std::size_t r) {
    constexpr std::size_t ahead = 12;
    std::size_t first = 0, behind = 0;  // points of the row
    for (int col = 0; col < grid.cols; ++col) {
      const std::uint32_t i =
          grid.point[r * static_cast<std::size_t>(grid.cols) + static_cast<std::size_t>(col)];
      if (i == no_point) continue;
      if (behind == 0) first = i;
      behind = i + 1;
      if (i + ahead < out.map.distances.size())
        __builtin_prefetch(area::soon(model.sides, out.map.distances[i + ahead].facet));
      keep(model, judge.judge(static_cast<int>(r), col, out.map.points[i], out.map.distances[i]), i, out);
      out.deviation[i] = out.map.distances[i].distance;
    }
    if (on_patches) on_patches->add(out.map, first, behind);
    excluded.count(out, first, behind);
  };
  // Rows side by side meet the same patches, and facets of the same pages.
  constexpr std::size_t band = 8;
  in_runs(
      threads, static_cast<std::size_t>(grid.rows),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t r = from; r < to; ++r) judge_row(r);
      },
      band);
}

}  // namespace

ComparedSurface place_points(const SurfaceModel& model, std::span<const SurfaceShot> shots,
                             unsigned threads) {
  std::size_t pixels = 0;
  for (const SurfaceShot& shot : shots) pixels += shot.frame->size();
  if (pixels > most_points) throw std::invalid_argument("the snapshots have more than 2^28 pixels together");
  ComparedSurface out;
  SurfaceMap& map = out.map;
  map.model = model.triangles;
  map.regions = model.regions;
  for (std::size_t s = 0; s < shots.size(); ++s)
    add_points(shots[s], origin_of(model), static_cast<std::uint16_t>(s), threads, out);
  return out;
}

std::future<void> find_distances(ComparedSurface& surface, const SurfaceModel& model,
                                 const SurfaceSettings& settings, DistanceFinder& finder, bool beside) {
  SurfaceMap& map = surface.map;
  return std::async(beside ? std::launch::async : std::launch::deferred, [&] {
    map.distances.resize(map.points.size());
    finder.find({model.triangles, model.search}, map.points.data(), map.points.size(),
                distance_settings(settings, settings.search_mm), map.distances.data());
  });
}

void compare_with_model(ComparedSurface& out, const SurfaceModel& model, const SurfaceSettings& settings,
                        std::span<const SurfaceShot> shots, std::future<void> found, unsigned threads,
                        PointsOnPatches* on_patches) {
  SurfaceMap& map = out.map;
  map.region_of_facet = model.region_of_facet;
  out.face_region.assign(map.points.size(), no_region);
  out.judged_region = out.beyond_region = out.face_region;
  out.is_beyond.assign(map.points.size(), 0);
  out.deviation.assign(map.points.size(), 0);
  map.region.resize(map.points.size());
  Excluded excluded;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const std::shared_ptr<const SurfaceRays> rays = model.rays->of(*model.triangles, shots[k], k, threads);
    if (k == 0) found.get();
    judge_snapshot(model, settings, shots[k], *rays, out.grids[k], threads, on_patches, excluded, out);
  }
  if (found.valid()) found.get();
  out.beyond = excluded.beyond;
  out.explained = excluded.explained;
}

}  // namespace datum
