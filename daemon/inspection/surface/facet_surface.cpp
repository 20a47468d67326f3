#include "daemon/inspection/surface/facet_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

namespace datum {
namespace {

using FacetCorners = std::array<std::array<float, 3>, 3>;

Eigen::Vector3d corner_of(const FacetCorners& f, std::size_t k) {
  return {double{f[k][0]}, double{f[k][1]}, double{f[k][2]}};
}

/// Region of each facet, by its number in the model's file.
std::vector<std::uint16_t> regions_in_file(const SurfaceMap& compared) {
  const std::vector<std::uint32_t>& number = compared.model->facet;
  const std::uint32_t last = number.empty() ? 0 : *std::max_element(number.begin(), number.end());
  std::vector<std::uint16_t> region(std::size_t{last} + 1, no_region);
  for (std::size_t f = 0; f < compared.region_of_facet.size(); ++f)
    region[number[f]] = compared.region_of_facet[f];
  return region;
}

}  // namespace

double facet_area(const FacetCorners& f) {
  return (corner_of(f, 1) - corner_of(f, 0)).cross(corner_of(f, 2) - corner_of(f, 0)).norm() / 2;
}

ModelPoint middle_of_facet(const FacetCorners& f) {
  const Eigen::Vector3f middle = ((corner_of(f, 0) + corner_of(f, 1) + corner_of(f, 2)) / 3).cast<float>();
  return {middle.x(), middle.y(), middle.z()};
}

SurfaceMap facets_as_surface(const FacetMap& map, const SurfaceMap& compared, FacetsBy by) {
  constexpr double any = std::numeric_limits<double>::infinity();
  SurfaceMap out;
  out.model = map.model;
  for (const SurfaceRegion& r : compared.regions) out.regions.push_back({r.name, -any, any});
  const std::vector<std::uint16_t> region = regions_in_file(compared);
  for (std::size_t i = 0; i < map.by_points.size(); ++i) {
    const FacetCorners& f = map.model->corner[i];
    const bool points = by == FacetsBy::points;
    ModelDistance d;
    d.distance = points ? map.by_points[i].mean : map.by_surface[i].distance;
    d.facet = static_cast<std::uint32_t>(i);
    d.kind = points ? map.by_points[i].kind : map.by_surface[i].kind;
    out.region_of_facet.push_back(region[map.pieces->facet_in_file[i]]);
    out.points.push_back(middle_of_facet(f));
    out.distances.push_back(d);
    out.snapshot.push_back(0);
    out.area_mm2.push_back(facet_area(f));
  }
  return out;
}

}  // namespace datum
