#include "daemon/inspection/surface/surface_compare.h"

#include <cmath>
#include <stdexcept>

#include "daemon/inspection/surface/surface_judge.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr std::size_t most_points = std::size_t{1} << 28;

Eigen::Vector3d origin_of(const SurfaceModel& model) {
  return Eigen::Map<const Eigen::Vector3d>(model.triangles->origin.data());
}

/// Every pixel with a height, in the order of rows and columns.
void add_points(const SurfaceShot& shot, const Eigen::Vector3d& origin, std::uint16_t number,
                ComparedSurface& out) {
  const HeightFrame& f = *shot.frame;
  const Eigen::Matrix3d r = shot.model_from_sensor.rotation();
  const Eigen::Vector3d t = shot.model_from_sensor.translation_mm() - origin;
  SnapshotGrid& grid = out.grids.emplace_back();
  grid.rows = f.rows;
  grid.cols = f.cols;
  grid.point.assign(f.size(), no_point);
  std::visit(
      [&](const auto& counts) {
        std::size_t i = 0;
        for (int row = 0; row < f.rows; ++row) {
          for (int col = 0; col < f.cols; ++col, ++i) {
            if (f.classes[i] != PixelClass::ok) continue;
            const Eigen::Vector3d sensor(f.x.at(col), f.y.at(row), f.z.at(static_cast<double>(counts[i])));
            const Eigen::Vector3f p = (r * sensor + t).cast<float>();
            grid.point[i] = static_cast<std::uint32_t>(out.map.points.size());
            out.map.points.push_back({p.x(), p.y(), p.z()});
          }
        }
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
  return facet == no_facet ? no_region : model.region_of_facet[facet];
}

void keep(const SurfaceModel& model, const JudgedPixel& pixel, std::uint32_t i, ComparedSurface& out) {
  ModelDistance& d = out.map.distances[i];
  if (pixel.along_ray) d.place = Place::face;
  if (pixel.facet != no_facet) d.facet = pixel.facet;
  d.distance = static_cast<float>(pixel.deviation_mm);
  switch (pixel.judgement) {
    case Judgement::face:
      d.kind = MatchClass::face;
      out.face_region[i] = out.judged_region[i] = region_of(model, pixel.charged);
      return;
    case Judgement::edge:
      d.kind = MatchClass::edge;
      out.judged_region[i] = region_of(model, pixel.charged);
      return;
    case Judgement::rim:
      return;
    case Judgement::beyond:
      out.is_beyond[i] = 1;
      out.beyond_region[i] = region_of(model, pixel.charged);
      [[fallthrough]];
    case Judgement::explained:
      d = ModelDistance{};
  }
}

std::vector<double> heights_of(const HeightFrame& f) {
  std::vector<double> heights(f.size(), std::nan(""));
  std::visit(
      [&](const auto& counts) {
        for (std::size_t i = 0; i < heights.size(); ++i)
          if (f.classes[i] == PixelClass::ok) heights[i] = f.z.at(static_cast<double>(counts[i]));
      },
      f.counts);
  return heights;
}

void judge_snapshot(const SurfaceModel& model, const SurfaceSettings& settings, const SurfaceShot& shot,
                    const SnapshotGrid& grid, unsigned threads, ComparedSurface& out) {
  const SurfaceRays rays(*model.triangles, shot, threads);
  const std::vector<double> heights = heights_of(*shot.frame);
  const double least_cosine = std::cos(settings.max_view_deg * M_PI / 180);
  const SurfaceJudge judge(*model.triangles, rays, heights, shot, settings.search_mm, least_cosine);
  parallel_for(threads, static_cast<std::size_t>(grid.rows), [&](std::size_t r, unsigned) {
    for (int col = 0; col < grid.cols; ++col) {
      const std::uint32_t i =
          grid.point[r * static_cast<std::size_t>(grid.cols) + static_cast<std::size_t>(col)];
      if (i == no_point) continue;
      keep(model, judge.judge(static_cast<int>(r), col, out.map.points[i], out.map.distances[i]), i, out);
    }
  });
}

}  // namespace

ComparedSurface compare_with_model(const SurfaceModel& model, const SurfaceSettings& settings,
                                   std::span<const SurfaceShot> shots, DistanceFinder& finder,
                                   unsigned threads) {
  std::size_t pixels = 0;
  for (const SurfaceShot& shot : shots) pixels += shot.frame->size();
  if (pixels > most_points) throw std::invalid_argument("the snapshots have more than 2^28 pixels together");
  ComparedSurface out;
  SurfaceMap& map = out.map;
  map.model = model.triangles;
  map.regions = model.regions;
  map.region_of_facet = model.region_of_facet;
  for (std::size_t s = 0; s < shots.size(); ++s)
    add_points(shots[s], origin_of(model), static_cast<std::uint16_t>(s), out);
  map.distances.resize(map.points.size());
  finder.find({model.triangles, model.search}, map.points.data(), map.points.size(),
              distance_settings(settings, settings.search_mm), map.distances.data());
  out.face_region.assign(map.points.size(), no_region);
  out.judged_region = out.beyond_region = out.face_region;
  out.is_beyond.assign(map.points.size(), 0);
  for (std::size_t k = 0; k < shots.size(); ++k)
    judge_snapshot(model, settings, shots[k], out.grids[k], threads, out);
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    out.beyond += out.is_beyond[i];
    out.explained += out.is_beyond[i] == 0 && map.distances[i].kind == MatchClass::no_data;
  }
  return out;
}

}  // namespace datum
