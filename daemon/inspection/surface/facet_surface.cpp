#include "daemon/inspection/surface/facet_surface.h"

#include <Eigen/Geometry>
#include <limits>

namespace datum {
namespace {

using FacetCorners = std::array<std::array<float, 3>, 3>;

Eigen::Vector3d corner_of(const FacetCorners& f, std::size_t k) {
  return {double{f[k][0]}, double{f[k][1]}, double{f[k][2]}};
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
  out.region_of_facet = map.pieces->facets->regions->region;
  for (std::size_t i = 0; i < map.by_points.size(); ++i) {
    const FacetCorners& f = map.model->corner[i];
    const bool points = by == FacetsBy::points;
    ModelDistance d;
    d.distance = points ? map.by_points[i].mean : map.by_surface[i].distance;
    d.facet = static_cast<std::uint32_t>(i);
    d.kind = points ? map.by_points[i].kind : map.by_surface[i].kind;
    out.points.push_back(middle_of_facet(f));
    out.distances.push_back(d);
    out.snapshot.push_back(0);
    out.area_mm2.push_back(facet_area(f));
  }
  return out;
}

}  // namespace datum
