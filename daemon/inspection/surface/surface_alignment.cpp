#include "daemon/inspection/surface/surface_alignment.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/surface_cover.h"

namespace datum {
namespace {

using Eigen::Vector3d;

bool belongs(const RegionModel& model, const std::vector<std::uint16_t>& regions, const ModelDistance& d) {
  return d.kind == MatchClass::face &&
         std::find(regions.begin(), regions.end(), model.region_of_facet[d.facet]) != regions.end();
}

Vector3d origin_of(const RegionModel& model) {
  return Eigen::Map<const Vector3d>(model.triangles->origin.data());
}

/// Points relative to the model's origin.
std::vector<ModelPoint> placed(const std::vector<Vector3d>& machine_mm, const Htm<Model, Machine>& pose,
                               const Vector3d& origin) {
  const Eigen::Matrix3d r = pose.rotation();
  const Vector3d t = pose.translation_mm() - origin;
  std::vector<ModelPoint> points;
  points.reserve(machine_mm.size());
  for (const Vector3d& m : machine_mm) {
    const Eigen::Vector3f p = (r * m + t).cast<float>();
    points.push_back({p.x(), p.y(), p.z()});
  }
  return points;
}

std::vector<ModelDistance> found(const RegionModel& model, const std::vector<ModelPoint>& points,
                                 const AlignmentSettings& settings, const Backend& backend) {
  DistanceSettings search;
  search.search = static_cast<float>(settings.search_mm);
  search.sharp_cosine = settings.sharp_cosine;
  std::vector<ModelDistance> distances(points.size());
  model.search->find(points.data(), points.size(), search, backend, distances.data());
  return distances;
}

/// Machine coordinates of every `stride`-th pixel, rows and columns.
std::vector<Vector3d> pixels_of(std::span<const PlacedFrame> frames, int stride) {
  std::vector<Vector3d> points;
  for (const PlacedFrame& f : frames)
    for (int row = 0; row < f.frame->rows; row += stride)
      for (int col = 0; col < f.frame->cols; col += stride)
        if (f.frame->class_at(row, col) == PixelClass::ok)
          points.push_back(f.machine_from_sensor *
                           Vector3d(f.frame->x.at(col), f.frame->y.at(row), f.frame->z_mm(row, col)));
  return points;
}

/// Points of the regions under a pose, from a subset of pixels that gives about the wanted number.
std::vector<Vector3d> candidates(const RegionModel& model, std::span<const PlacedFrame> frames,
                                 const std::vector<std::uint16_t>& regions, const Htm<Model, Machine>& pose,
                                 const AlignmentSettings& settings, const Backend& backend) {
  constexpr int coarse = 8;
  const auto taken = [&](int stride) {
    const std::vector<Vector3d> all = pixels_of(frames, stride);
    const std::vector<ModelDistance> at =
        found(model, placed(all, pose, origin_of(model)), settings, backend);
    std::vector<Vector3d> some;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (belongs(model, regions, at[i])) some.push_back(all[i]);
    return some;
  };
  std::vector<Vector3d> points = taken(coarse);
  const double expected = static_cast<double>(points.size()) * coarse * coarse;
  const int stride =
      static_cast<int>(std::ceil(std::sqrt(expected / static_cast<double>(settings.most_points))));
  if (stride < coarse) points = taken(std::max(1, stride));
  return points;
}

double area_of(const RegionModel& model, const std::vector<std::uint16_t>& regions) {
  double area = 0;
  for (std::size_t f = 0; f < model.region_of_facet.size(); ++f) {
    if (std::find(regions.begin(), regions.end(), model.region_of_facet[f]) == regions.end()) continue;
    Vector3d p[3];
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = Eigen::Map<const Eigen::Vector3f>(model.triangles->corner[f][k].data()).cast<double>();
    area += 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).norm();
  }
  return area;
}

/// The model area represented by each point.
std::vector<double> areas_of(const RegionModel& model, const std::vector<ModelPoint>& points, double reach_mm,
                             const AlignmentSettings& settings, const Backend& backend) {
  SurfaceMap map;
  map.model = model.triangles;
  map.points.assign(points.begin(), points.end());
  const std::vector<ModelDistance> distances = found(model, points, settings, backend);
  map.distances.assign(distances.begin(), distances.end());
  share_area(map, reach_mm, backend.threads);
  return {map.area_mm2.begin(), map.area_mm2.end()};
}

/// Tiles of a lattice in model coordinates; 10 bits per axis, repeating after 1024 tiles.
std::uint32_t tile_of(const ModelPoint& p, double tile_mm) {
  const auto cell = [&](float v) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::floor(v / tile_mm)) & 1023);
  };
  return cell(p.x) << 20 | cell(p.y) << 10 | cell(p.z);
}

/// Coordinates are in single precision, some nm: smaller steps are noise.
ModelFitSettings fit_settings() {
  ModelFitSettings settings;
  settings.settled_mm = 1e-5;
  return settings;
}

}  // namespace

ModelSamples samples_of(const RegionModel& model, std::span<const PlacedFrame> frames,
                        const std::vector<std::uint16_t>& regions, const Htm<Machine, Model>& start,
                        const AlignmentSettings& settings, const Backend& backend) {
  const std::vector<Vector3d> machine =
      candidates(model, frames, regions, start.inverse(), settings, backend);
  const std::vector<ModelPoint> at_start = placed(machine, start.inverse(), origin_of(model));
  const double area_mm2 = area_of(model, regions);
  // three times the distance of evenly distributed points
  const double reach_mm =
      3 * std::sqrt(area_mm2 / static_cast<double>(std::max<std::size_t>(1, machine.size())));
  const double tile_mm = std::sqrt(area_mm2 / settings.tiles);
  const std::vector<double> areas = areas_of(model, at_start, reach_mm, settings, backend);
  std::vector<std::uint32_t> tiles;
  for (const ModelPoint& p : at_start) tiles.push_back(tile_of(p, tile_mm));
  return [=, &backend](const Htm<Model, Machine>& pose) {
    const Vector3d origin = origin_of(model);
    const std::vector<ModelPoint> points = placed(machine, pose, origin);
    const std::vector<ModelDistance> distances = found(model, points, settings, backend);
    std::vector<ModelSample> samples;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (areas[i] <= 0 || !belongs(model, regions, distances[i])) continue;
      const auto& n = model.triangles->normal[distances[i].facet][0];
      samples.push_back({origin + Vector3d(points[i].x, points[i].y, points[i].z),
                         Vector3d(n[0], n[1], n[2]).normalized(), distances[i].distance, areas[i], tiles[i]});
    }
    return samples;
  };
}

ModelFit align_to_datums(const RegionModel& model, std::span<const PlacedFrame> frames,
                         std::span<const std::uint16_t> datums, const Htm<Machine, Model>& start,
                         const AlignmentSettings& settings, const Backend& backend) {
  std::vector<ModelSamples> features;
  for (const std::uint16_t region : datums)
    features.push_back(samples_of(model, frames, {region}, start, settings, backend));
  return fit_datums(features, start.inverse(), fit_settings());
}

ModelFit refine_on_regions(const RegionModel& model, std::span<const PlacedFrame> frames,
                           const std::vector<std::uint16_t>& regions,
                           const HtmEstimate<Model, Machine>& start, const RefinementLimits& limits,
                           const AlignmentSettings& settings, const Backend& backend) {
  return refine(samples_of(model, frames, regions, start.htm.inverse(), settings, backend), start, limits);
}

}  // namespace datum
