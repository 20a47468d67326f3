// Measured share of a model's surface, and the area that each point represents.
//
// The surface is divided into patches of at most 0.4 reach_mm, in voxels of that size. A point marks the
// patches around that of its nearest place: those whose centers lie within reach_mm, of the same region and
// with normals within 60 degrees (the far side of a thin wall is another surface). Points on no face or edge
// mark none. A patch marked by enough points is covered, and they share its area: where snapshots overlap or
// pixels are denser, a point represents less. Both depend on the points alone, not on their order or on
// threads.
#pragma once

#include <cstdint>
#include <future>
#include <span>
#include <vector>

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/surface/surface_patches.h"
#include "gpu/area_share/area_sharer.h"

namespace datum {

struct CoverSettings {
  double reach_mm = 0;           // larger than the distance of neighbouring points on the surface
  std::uint32_t min_points = 1;  // points that must mark a patch to cover it
};

/// Areas in mm^2 of the model. Element r is region r, the last one the facets without region.
struct SurfaceCover {
  std::vector<double> area_mm2, covered_mm2;
  std::size_t patches = 0;
};

/// The points on each patch, and those that mark it.
struct PointsOfPatches {
  std::vector<std::uint32_t> own, marks;
};

/// A map's points on patches of one or several reaches.
class PointsOnPatches {
 public:
  /// Of a map with so many points. Borrows the patches, which are of its model.
  PointsOnPatches(std::vector<const SurfacePatches*> patches, std::size_t points);
  /// Adds the points from .. to, whose distances are known. Several threads may add; each point is to be added once.
  void add(const SurfaceMap& map, std::size_t from, std::size_t to);
  /// When all are there; once. Fills map.area_mm2 by the first reach; the covers are summed meanwhile and until they are asked for.
  std::future<std::vector<SurfaceCover>> covers(SurfaceMap& map, std::uint32_t min_points, unsigned threads);

 private:
  std::vector<const SurfacePatches*> patches_;
  std::vector<PointsOfPatches> of_reach_;
  UnsetList<std::uint32_t> of_;  // of each point its patch of the first reach, or none
};

/// Fills map.area_mm2; the sum over all points is the marked area. Throws std::invalid_argument for a reach
/// that is not above 0 or would give more than 2^24 pieces, and for lists of unequal lengths.
SurfaceCover cover_of(SurfaceMap& map, const CoverSettings& settings, unsigned threads = 1);

/// The same by patches of this map's model that were made before, with their reach.
SurfaceCover cover_of(SurfaceMap& map, const SurfacePatches& patches, std::uint32_t min_points,
                      unsigned threads);
/// Those by patches of several reaches; map.area_mm2 is that by the first ones.
std::vector<SurfaceCover> covers_of(SurfaceMap& map, std::span<const SurfacePatches* const> patches,
                                    std::uint32_t min_points, unsigned threads);

/// As PointsOnPatches::covers(), by a sharer whose model has those patches in that order. Borrows the patches.
std::future<std::vector<SurfaceCover>> covers_of(SurfaceMap& map,
                                                 const std::shared_ptr<const AreaModel>& model,
                                                 std::span<const SurfacePatches* const> patches,
                                                 AreaSharer& sharer, std::uint32_t min_points,
                                                 unsigned threads);

/// The covers alone, from how many points mark each patch of each reach. Borrows the patches.
std::future<std::vector<SurfaceCover>> covers_by(std::vector<UnsetList<std::uint32_t>> marks,
                                                 std::span<const SurfacePatches* const> patches,
                                                 std::uint32_t min_points, unsigned threads);

/// Fills map.area_mm2 as cover_of() with min_points 1 does, but looks only at what of the model lies about the points.
void share_area(SurfaceMap& map, double reach_mm, unsigned threads = 1);

}  // namespace datum
