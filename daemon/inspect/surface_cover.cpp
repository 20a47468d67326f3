#include "daemon/inspect/surface_cover.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "daemon/inspect/surface_patches.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

void check(const SurfaceMap& map) {
  if (map.distances.size() != map.points.size())
    throw std::invalid_argument("cover of a surface: points and distances differ in number");
  if (!map.region_of_facet.empty() && map.region_of_facet.size() != map.model->corner.size())
    throw std::invalid_argument("cover of a surface: facets and their regions differ in number");
  for (const std::uint16_t r : map.region_of_facet)
    if (r != no_region && r >= map.regions.size())
      throw std::invalid_argument("cover of a surface: a facet belongs to a region that does not exist");
}

/// Calls work(point, facet's nearest place) for every point with data.
template <class Work>
void for_points(const SurfaceMap& map, unsigned threads, const Work& work) {
  constexpr std::size_t run = 1024;
  parallel_for(threads, (map.points.size() + run - 1) / run, [&](std::size_t r, unsigned) {
    for (std::size_t i = r * run; i < std::min(map.points.size(), (r + 1) * run); ++i)
      if (map.distances[i].kind != MatchClass::no_data)
        work(i, foot_of(*map.model, map.points[i], map.distances[i]));
  });
}

}  // namespace

SurfaceCover cover_of(SurfaceMap& map, const CoverSettings& settings, unsigned threads) {
  check(map);
  const SurfacePatches patches(map, settings.reach_mm);
  std::vector<std::uint32_t> marks(patches.all().size());
  for_points(map, threads, [&](std::size_t i, const SurfacePlace& foot) {
    patches.near(foot, map.distances[i].facet, [&](std::uint32_t patch) {
      std::atomic_ref<std::uint32_t>(marks[patch]).fetch_add(1, std::memory_order_relaxed);
    });
  });
  map.area_mm2.assign(map.points.size(), 0);
  for_points(map, threads, [&](std::size_t i, const SurfacePlace& foot) {
    double area = 0;
    patches.near(foot, map.distances[i].facet,
                 [&](std::uint32_t patch) { area += patches.all()[patch].area_mm2 / marks[patch]; });
    map.area_mm2[i] = area;
  });
  SurfaceCover cover;
  cover.patches = patches.all().size();
  cover.area_mm2.resize(map.regions.size() + 1);
  cover.covered_mm2.resize(map.regions.size() + 1);
  for (std::size_t k = 0; k < patches.all().size(); ++k) {
    const SurfacePatch& patch = patches.all()[k];
    cover.area_mm2[patch.region] += patch.area_mm2;
    if (marks[k] >= std::max(1u, settings.min_points)) cover.covered_mm2[patch.region] += patch.area_mm2;
  }
  return cover;
}

}  // namespace datum
