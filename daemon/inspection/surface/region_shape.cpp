#include "daemon/inspection/surface/region_shape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

Eigen::Vector3d place_of_corner(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

/// Along the facet's normal, twice its area long.
Eigen::Vector3d doubled_of(const TriangleModel& model, std::size_t facet) {
  const auto& c = model.corner[facet];
  return (place_of_corner(c[1]) - place_of_corner(c[0])).cross(place_of_corner(c[2]) - place_of_corner(c[0]));
}

void finish(RegionShape& shape, const TriangleModel& model) {
  constexpr double far = std::numeric_limits<double>::infinity();
  shape.low_mm = Eigen::Vector3d::Constant(far);
  shape.high_mm = Eigen::Vector3d::Constant(-far);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const std::uint32_t i : shape.facets) {
    const Eigen::Vector3d doubled = doubled_of(model, i);
    sum += doubled;
    shape.area_mm2 += doubled.norm() / 2;
    for (const auto& c : model.corner[i]) {
      shape.low_mm = shape.low_mm.cwiseMin(place_of_corner(c));
      shape.high_mm = shape.high_mm.cwiseMax(place_of_corner(c));
    }
  }
  shape.mean_normal = sum.norm() > 0 ? sum.normalized() : Eigen::Vector3d::UnitZ();
}

}  // namespace

std::vector<RegionShape> shapes_of(const TriangleModel& model,
                                   const std::vector<std::uint16_t>& region_of_facet, std::size_t regions) {
  std::vector<RegionShape> shapes(regions);
  for (std::uint32_t i = 0; i < region_of_facet.size(); ++i)
    if (region_of_facet[i] < regions) shapes[region_of_facet[i]].facets.push_back(i);
  for (RegionShape& shape : shapes) finish(shape, model);
  return shapes;
}

double RegionSlopes::of(const TriangleModel& model, const std::vector<RegionShape>& shapes,
                        std::size_t region, const Eigen::Vector3d& sensor_z, unsigned threads) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) {
    return k.region == region && k.sensor_z == sensor_z;
  });
  if (found != kept_.end()) return found->slope;
  const std::vector<std::uint32_t>& facets = shapes[region].facets;
  share_.resize(facets.size());
  in_runs(threads, facets.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const Eigen::Vector3d doubled = doubled_of(model, facets[i]);
      // area times tan: the component across z over that along z; walls are not visible
      const double along = std::fabs(doubled.dot(sensor_z)), across = doubled.cross(sensor_z).norm();
      share_[i] = doubled.norm() / 2 * std::min(10.0, across / std::max(1e-12, along));
    }
  });
  double slope = 0;  // in the order of facets, whoever computed the shares
  for (const double share : share_) slope += share;
  if (shapes[region].area_mm2 > 0) slope /= shapes[region].area_mm2;
  if (kept_.size() >= most) kept_.clear();
  kept_.push_back({region, sensor_z, slope});
  return slope;
}

}  // namespace datum
