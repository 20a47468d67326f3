#include "daemon/inspection/surface/surface_planes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

namespace datum {
namespace {

std::vector<WeightedPoint> weighted_points(const ComparedSurface& surface, std::size_t region, float most) {
  std::vector<WeightedPoint> points;
  for (std::size_t i = 0; i < surface.face_region.size(); ++i) {
    if (surface.face_region[i] != region) continue;
    const ModelPoint& p = surface.map.points[i];
    points.push_back({p.x, p.y, p.z, std::min(most, static_cast<float>(surface.map.area_mm2[i]))});
  }
  return points;
}

std::string words_of(ParallelStatus status) {
  switch (status) {
    case ParallelStatus::strip:
      return "its points are too narrow a strip to hold a plane";
    case ParallelStatus::no_plane:
      return "its points are no plane";
    default:
      return fmt::format("no plane through its points: {}", name_of(status));
  }
}

}  // namespace

// A point marks the patches whose middle is within reach: at most a disc of that radius plus the patches'
// size.
double most_area_mm2(const SurfaceSettings& settings) { return 16 * settings.reach_mm * settings.reach_mm; }

Eigen::Vector3d mean_normal(const SurfaceModel& model, std::size_t region) {
  return model.shapes[region].mean_normal;
}

RegionBox box_of(const SurfaceModel& model, std::size_t region) {
  return {model.shapes[region].low_mm, model.shapes[region].high_mm};
}

RegionPlanes fit_region_planes(const ComparedSurface& surface, const SurfaceModel& model,
                               const SurfaceSettings& settings, const std::vector<std::size_t>& regions,
                               const Backend& backend) {
  ParallelPlanesSettings fit;
  fit.meaning = WeightMeaning::area;
  fit.max_weight = static_cast<float>(most_area_mm2(settings));
  Eigen::Map<Eigen::Vector3d>(fit.towards) = mean_normal(model, regions.front());
  std::vector<std::vector<WeightedPoint>> points;
  std::vector<PlaneSample> samples(regions.size());
  for (std::size_t k = 0; k < regions.size(); ++k) {
    points.push_back(weighted_points(surface, regions[k], fit.max_weight));
    const RegionBox box = box_of(model, regions[k]);
    Eigen::Map<Eigen::Vector3f>(samples[k].centre) = ((box.low_mm + box.high_mm) / 2).cast<float>();
    const double half_mm = (box.high_mm - box.low_mm).maxCoeff() / 2 + 2 * settings.search_mm;
    fit.half_range = std::max(fit.half_range, static_cast<float>(half_mm));
    samples[k].points = points[k].data();
    samples[k].size = points[k].size();
  }
  const ParallelSet set{0, static_cast<std::uint32_t>(regions.size())};
  RegionPlanes out;
  out.planes.resize(regions.size());
  fit_parallel_planes(samples.data(), samples.size(), &set, 1, fit, backend, &out.shared, out.planes.data());
  if (out.shared.status != ParallelStatus::ok) out.refusal = words_of(out.shared.status);
  return out;
}

std::vector<float> distances_from(const ParallelPlanes& shared, const ParallelPlane& plane,
                                  const ComparedSurface& surface, std::size_t region) {
  const Eigen::Map<const Eigen::Vector3d> n(shared.normal), c(plane.centroid);
  std::vector<float> out(surface.face_region.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ModelPoint& p = surface.map.points[i];
    if (surface.face_region[i] == region)
      out[i] = static_cast<float>(n.dot(Eigen::Vector3d(p.x, p.y, p.z) - c));
  }
  return out;
}

}  // namespace datum
