#include "daemon/inspection/surface/surface_cover.h"

#include <algorithm>
#include <stdexcept>

#include "daemon/inspection/surface/surface_patches.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

void check_distances(const SurfaceMap& map) {
  if (map.distances.size() != map.points.size())
    throw std::invalid_argument("cover of a surface: points and distances differ in number");
  if (!map.region_of_facet.empty() && map.region_of_facet.size() != map.model->corner.size())
    throw std::invalid_argument("cover of a surface: facets and their regions differ in number");
  for (const std::uint16_t r : map.region_of_facet)
    if (r != no_region && r >= map.regions.size())
      throw std::invalid_argument("cover of a surface: a facet belongs to a region that does not exist");
}

constexpr std::uint32_t nowhere = 0xFFFFFFFF;

/// Beyond the end of an open model nothing is.
bool is_judged(const ModelDistance& d) { return d.kind == MatchClass::face || d.kind == MatchClass::edge; }

/// Of each judged point the patch that it lies on, nowhere of others.
std::vector<std::uint32_t> patches_of(const SurfaceMap& map, const SurfacePatches& patches,
                                      unsigned threads) {
  std::vector<std::uint32_t> of(map.points.size(), nowhere);
  constexpr std::size_t run = 1024;
  parallel_for(threads, (of.size() + run - 1) / run, [&](std::size_t r, unsigned) {
    for (std::size_t i = r * run; i < std::min(of.size(), (r + 1) * run); ++i) {
      const ModelDistance& d = map.distances[i];
      if (is_judged(d)) of[i] = patches.patch_at(foot_of(*map.model, map.points[i], d), d.facet);
    }
  });
  return of;
}

/// Calls work(patch) for every patch, on several threads.
template <class Work>
void for_patches(std::size_t count, unsigned threads, const Work& work) {
  constexpr std::size_t run = 256;
  parallel_for(threads, (count + run - 1) / run, [&](std::size_t r, unsigned) {
    for (std::size_t k = r * run; k < std::min(count, (r + 1) * run); ++k)
      work(static_cast<std::uint32_t>(k));
  });
}

/// How many points mark each patch; shares each patch's area among those that do.
std::vector<std::uint32_t> mark(SurfaceMap& map, const SurfacePatches& patches, unsigned threads) {
  const std::vector<std::uint32_t> of = patches_of(map, patches, threads);
  const std::size_t count = patches.all().size();
  std::vector<std::uint32_t> own(count), marks(count);
  for (const std::uint32_t patch : of)
    if (patch != nowhere) ++own[patch];
  // neighbourhood is symmetric
  for_patches(count, threads, [&](std::uint32_t k) {
    patches.near(k, [&](std::uint32_t other) { marks[k] += own[other]; });
  });
  std::vector<double> share(count);  // area of a point on the patch
  for_patches(count, threads, [&](std::uint32_t k) {
    if (own[k] > 0)
      patches.near(k, [&](std::uint32_t other) { share[k] += patches.all()[other].area_mm2 / marks[other]; });
  });
  map.area_mm2.assign(map.points.size(), 0);
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] != nowhere) map.area_mm2[i] = share[of[i]];
  return marks;
}

}  // namespace

void share_area(SurfaceMap& map, double reach_mm, unsigned threads) {
  check_distances(map);
  Eigen::AlignedBox3d about;
  for (const ModelDistance& d : map.distances)
    if (is_judged(d))
      for (const auto& corner : map.model->corner[d.facet])
        about.extend(Eigen::Vector3f(corner[0], corner[1], corner[2]).cast<double>());
  // A patch that a point marks lies within the reach of the point's own; both may be a voxel wide, 0.7 reaches.
  about.min().array() -= 3 * reach_mm;
  about.max().array() += 3 * reach_mm;
  mark(map, SurfacePatches(map, reach_mm, &about), threads);
}

SurfaceCover cover_of(SurfaceMap& map, const CoverSettings& settings, unsigned threads) {
  check_distances(map);
  const SurfacePatches patches(map, settings.reach_mm);
  const std::vector<std::uint32_t> marks = mark(map, patches, threads);
  const std::size_t count = marks.size();
  SurfaceCover cover;
  cover.patches = count;
  cover.area_mm2.resize(map.regions.size() + 1);
  cover.covered_mm2.resize(map.regions.size() + 1);
  for (std::size_t k = 0; k < count; ++k) {
    const SurfacePatch& patch = patches.all()[k];
    cover.area_mm2[patch.region] += patch.area_mm2;
    if (marks[k] >= std::max(1u, settings.min_points)) cover.covered_mm2[patch.region] += patch.area_mm2;
  }
  return cover;
}

}  // namespace datum
