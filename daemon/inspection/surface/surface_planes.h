// Planes through regions of a compared surface, by weighted total least squares
// (daemon/inspection/METROLOGY.md, S7). A point's weight is its represented area, so neither an additional
// snapshot nor a finer pixel pulls the plane.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "daemon/inspection/surface/surface_compare.h"
#include "gpu/parallel_planes/parallel_planes.h"

namespace datum {

/// Parallel planes, one per named region; relative to the model's origin, mm.
struct RegionPlanes {
  ParallelPlanes shared;
  std::vector<ParallelPlane> planes;
  std::string refusal;  // why there are none; empty: there are
};

/// Largest weight of a point in a fit.
double most_area_mm2(const SurfaceSettings& settings);

/// Area-weighted direction of a region's facets, outwards, of length 1.
Eigen::Vector3d mean_normal(const SurfaceModel& model, std::size_t region);
/// Bounding box of a region's facets, relative to the model's origin, mm.
struct RegionBox {
  Eigen::Vector3d low_mm, high_mm;
};
RegionBox box_of(const SurfaceModel& model, std::size_t region);

/// Fits the face points of the regions; the normal has the first region's direction. Requires map.area_mm2.
RegionPlanes fit_region_planes(const ComparedSurface& surface, const SurfaceModel& model,
                               const SurfaceSettings& settings, const std::vector<std::size_t>& regions,
                               const Backend& backend);

/// n . (point - centroid) of every face point of `region`, mm; 0 for others.
std::vector<float> distances_from(const ParallelPlanes& shared, const ParallelPlane& plane,
                                  const ComparedSurface& surface, std::size_t region);

}  // namespace datum
