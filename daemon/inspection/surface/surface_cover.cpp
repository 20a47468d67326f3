#include "daemon/inspection/surface/surface_cover.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "daemon/inspection/surface/in_runs.h"

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

/// The patches of a map's points.
struct PointsOnPatches {
  std::vector<std::uint32_t> of;     // of each judged point its patch, nowhere of others
  std::vector<std::uint32_t> own;    // points on each patch
  std::vector<std::uint32_t> marks;  // points that mark each patch
};

PointsOnPatches points_on(const SurfaceMap& map, const SurfacePatches& patches, unsigned threads) {
  PointsOnPatches p;
  p.of.assign(map.points.size(), nowhere);
  p.own.resize(patches.all().size());
  in_runs(threads, p.of.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const ModelDistance& d = map.distances[i];
      if (!is_judged(d)) continue;
      p.of[i] = patches.patch_at(foot_of(*map.model, map.points[i], d), d.facet);
      std::atomic_ref(p.own[p.of[i]]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  return p;
}

constexpr std::size_t patch_run = 1024;

/// Neighbourhood is symmetric.
void mark(PointsOnPatches& p, const SurfacePatches& patches, unsigned threads) {
  p.marks.resize(p.own.size());
  in_runs(
      threads, p.own.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k)
          patches.near(static_cast<std::uint32_t>(k),
                       [&](std::uint32_t other) { p.marks[k] += p.own[other]; });
      },
      patch_run);
}

/// Shares each patch's area among the points that mark it.
void share(SurfaceMap& map, const PointsOnPatches& p, const SurfacePatches& patches, unsigned threads) {
  std::vector<double> of_mark(p.own.size()), share(p.own.size());  // area of a mark, of a point on the patch
  in_runs(
      threads, p.own.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k)
          if (p.marks[k] > 0) of_mark[k] = patches.all()[k].area_mm2 / p.marks[k];
      },
      patch_run);
  in_runs(
      threads, p.own.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k)
          if (p.own[k] > 0)
            patches.near(static_cast<std::uint32_t>(k),
                         [&](std::uint32_t other) { share[k] += of_mark[other]; });
      },
      patch_run);
  map.area_mm2.resize(map.points.size());
  in_runs(threads, p.of.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) map.area_mm2[i] = p.of[i] == nowhere ? 0 : share[p.of[i]];
  });
}

SurfaceCover cover_by(const SurfaceMap& map, const PointsOnPatches& p, const SurfacePatches& patches,
                      std::uint32_t min_points) {
  SurfaceCover cover;
  cover.patches = p.marks.size();
  cover.area_mm2.resize(map.regions.size() + 1);
  cover.covered_mm2.resize(map.regions.size() + 1);
  for (std::size_t k = 0; k < p.marks.size(); ++k) {
    const SurfacePatch& patch = patches.all()[k];
    cover.area_mm2[patch.region] += patch.area_mm2;
    if (p.marks[k] >= std::max(1u, min_points)) cover.covered_mm2[patch.region] += patch.area_mm2;
  }
  return cover;
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
  const SurfacePatches patches(map, reach_mm, &about);
  PointsOnPatches p = points_on(map, patches, threads);
  mark(p, patches, threads);
  share(map, p, patches, threads);
}

SurfaceCover cover_of(SurfaceMap& map, const CoverSettings& settings, unsigned threads) {
  check_distances(map);
  return cover_of(map, SurfacePatches(map, settings.reach_mm), settings.min_points, threads);
}

SurfaceCover cover_of(SurfaceMap& map, const SurfacePatches& patches, std::uint32_t min_points,
                      unsigned threads) {
  PointsOnPatches p = points_on(map, patches, threads);
  mark(p, patches, threads);
  share(map, p, patches, threads);
  return cover_by(map, p, patches, min_points);
}

SurfaceCover cover_alone(const SurfaceMap& map, const SurfacePatches& patches, std::uint32_t min_points,
                         unsigned threads) {
  PointsOnPatches p = points_on(map, patches, threads);
  mark(p, patches, threads);
  return cover_by(map, p, patches, min_points);
}

}  // namespace datum
