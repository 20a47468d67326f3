#include "daemon/inspection/surface/surface_cover.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "daemon/inspection/surface/beside.h"
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

using PatchesOfReaches = std::span<const SurfacePatches* const>;

constexpr std::size_t patch_run = 1024;

/// Neighbourhood is symmetric.
void mark(PointsOfPatches& p, const SurfacePatches& patches, unsigned threads) {
  p.marks.resize(p.own.size());
  in_runs(
      threads, p.own.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
          std::uint32_t marks = 0;
          patches.near(static_cast<std::uint32_t>(k), [&](std::uint32_t other) { marks += p.own[other]; });
          p.marks[k] = marks;
        }
      },
      patch_run);
}

/// Shares each patch's area among the points that mark it.
/// `of`: of each point its patch, or no_patch.
void share(SurfaceMap& map, const UnsetList<std::uint32_t>& of, const PointsOfPatches& p,
           const SurfacePatches& patches, unsigned threads) {
  UnsetList<double> of_mark(p.own.size()), share(p.own.size());  // area of a mark, of a point on the patch
  in_runs(
      threads, p.own.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k)
          of_mark[k] = area::area_of_mark(patches.area_mm2(k), p.marks[k]);
      },
      patch_run);
  in_runs(
      threads, p.own.size(),
      [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
          if (p.own[k] == 0) continue;
          double sum = 0;
          patches.near(static_cast<std::uint32_t>(k), [&](std::uint32_t other) { sum += of_mark[other]; });
          share[k] = sum;
        }
      },
      patch_run);
  map.area_mm2.resize(map.points.size());
  in_runs(threads, of.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) map.area_mm2[i] = of[i] == no_patch ? 0 : share[of[i]];
  });
}

/// `marks`: of each patch.
SurfaceCover cover_by(const std::uint32_t* marks, const SurfacePatches& patches, std::uint32_t min_points) {
  SurfaceCover cover;
  cover.patches = patches.all().size();
  cover.area_mm2 = patches.areas_mm2();
  cover.covered_mm2 = patches.areas_mm2([&](std::size_t k) { return marks[k] >= std::max(1u, min_points); });
  return cover;
}

/// Every point on its patches.
PointsOnPatches all_points_on(const SurfaceMap& map, std::vector<const SurfacePatches*> patches,
                              unsigned threads) {
  PointsOnPatches points(std::move(patches), map.points.size());
  constexpr std::size_t run = 4096;
  in_runs(
      threads, map.points.size(),
      [&](std::size_t, std::size_t from, std::size_t to) { points.add(map, from, to); }, run);
  return points;
}

}  // namespace

PointsOnPatches::PointsOnPatches(std::vector<const SurfacePatches*> patches, std::size_t points)
    : patches_(std::move(patches)), of_reach_(patches_.size()), of_(points) {
  for (std::size_t k = 0; k < patches_.size(); ++k) of_reach_[k].own.resize(patches_[k]->all().size());
}

void PointsOnPatches::add(const SurfaceMap& map, std::size_t from, std::size_t to) {
  std::vector<area::CountedPatches> reaches;
  for (std::size_t k = 0; k < patches_.size(); ++k)
    reaches.push_back({&patches_[k]->lists(), of_reach_[k].own.data()});
  area::put_on_patches(*map.model, reaches.data(), reaches.size(),
                       {map.points.data(), map.distances.data(), map.points.size()}, from, to, of_.data());
}

std::future<std::vector<SurfaceCover>> PointsOnPatches::covers(SurfaceMap& map, std::uint32_t min_points,
                                                               unsigned threads) {
  for (std::size_t k = 0; k < patches_.size(); ++k) mark(of_reach_[k], *patches_[k], threads);
  // One sum over all patches of a region in their order is one thread's.
  auto summed = beside(threads > 2, [this, min_points] {
    std::vector<SurfaceCover> covers;
    for (std::size_t k = 0; k < patches_.size(); ++k)
      covers.push_back(cover_by(of_reach_[k].marks.data(), *patches_[k], min_points));
    return covers;
  });
  share(map, of_, of_reach_[0], *patches_[0], threads);
  return summed;
}

void share_area(SurfaceMap& map, double reach_mm, unsigned threads) {
  check_distances(map);
  Eigen::AlignedBox3d about;
  for (const ModelDistance& d : map.distances)
    if (area::is_judged(d))
      for (const auto& corner : map.model->corner[d.facet])
        about.extend(Eigen::Vector3f(corner[0], corner[1], corner[2]).cast<double>());
  // A patch that a point marks lies within the reach of the point's own; both may be a voxel wide, 0.7 reaches.
  about.min().array() -= 3 * reach_mm;
  about.max().array() += 3 * reach_mm;
  const SurfacePatches patches(map, reach_mm, &about);
  all_points_on(map, {&patches}, threads).covers(map, 1, threads).get();
}

SurfaceCover cover_of(SurfaceMap& map, const CoverSettings& settings, unsigned threads) {
  check_distances(map);
  return cover_of(map, SurfacePatches(map, settings.reach_mm), settings.min_points, threads);
}

SurfaceCover cover_of(SurfaceMap& map, const SurfacePatches& patches, std::uint32_t min_points,
                      unsigned threads) {
  return all_points_on(map, {&patches}, threads).covers(map, min_points, threads).get()[0];
}

std::vector<SurfaceCover> covers_of(SurfaceMap& map, PatchesOfReaches patches, std::uint32_t min_points,
                                    unsigned threads) {
  return all_points_on(map, {patches.begin(), patches.end()}, threads).covers(map, min_points, threads).get();
}

std::future<std::vector<SurfaceCover>> covers_of(SurfaceMap& map,
                                                 const std::shared_ptr<const AreaModel>& model,
                                                 PatchesOfReaches patches, AreaSharer& sharer,
                                                 std::uint32_t min_points, unsigned threads) {
  map.area_mm2.resize(map.points.size());
  std::vector<UnsetList<std::uint32_t>> marks;
  AreaShares out;
  out.area_mm2 = map.area_mm2.data();
  for (std::size_t k = 0; k < patches.size(); ++k)
    out.marks[k] = marks.emplace_back(patches[k]->all().size()).data();
  sharer.share(model, {map.points.data(), map.distances.data(), map.points.size()}, out);
  return covers_by(std::move(marks), patches, min_points, threads);
}

std::future<std::vector<SurfaceCover>> covers_by(std::vector<UnsetList<std::uint32_t>> marks,
                                                 PatchesOfReaches patches, std::uint32_t min_points,
                                                 unsigned threads) {
  return beside(
      threads > 2,
      [marks = std::make_shared<const std::vector<UnsetList<std::uint32_t>>>(std::move(marks)), min_points,
       threads, of = std::vector<const SurfacePatches*>(patches.begin(), patches.end())] {
        std::vector<SurfaceCover> covers(of.size());
        parallel_for(threads, covers.size(), [&](std::size_t k, unsigned) {
          covers[k] = cover_by((*marks)[k].data(), *of[k], min_points);
        });
        return covers;
      });
}

}  // namespace datum
