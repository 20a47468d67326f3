// How much of a model's surface was measured, and how much of it each point stands for.
//
// The surface is cut into patches of 0.4 reach_mm at most, in voxels of that size. A point marks the patches around its own
// one (that of the place nearest to it): those whose centers lie within reach_mm, of the same region and facing the same way
// (within 60 degrees: the far side of a thin wall is another surface). Points on no face or edge mark none. A patch that enough points mark is covered, and its
// area is shared by them: where snapshots overlap or pixels lie closer, a point stands for less. Both depend on which points
// there are, not on their order or on threads.
#pragma once

#include "daemon/inspection/surface/surface_map.h"

namespace datum {

struct CoverSettings {
  double reach_mm = 0;           // above the distance of neighbouring points on the surface
  std::uint32_t min_points = 1;  // that a covered patch is marked by
};

/// Areas in mm^2 of the model. Element r belongs to region r, the last one to facets of no region.
struct SurfaceCover {
  std::vector<double> area_mm2, covered_mm2;
  std::size_t patches = 0;
};

/// Fills map.area_mm2; the sum over all points is the area that is marked. Throws std::invalid_argument for a reach that
/// is not above 0 or that would cut the surface into more than 2^24 pieces, and for lists of unequal lengths.
SurfaceCover cover_of(SurfaceMap& map, const CoverSettings& settings, unsigned threads = 1);

/// Fills map.area_mm2 as cover_of() with min_points 1 does, but looks only at what of the model lies about the points.
void share_area(SurfaceMap& map, double reach_mm, unsigned threads = 1);

}  // namespace datum
