#include "daemon/inspection/surface/patched_points.h"

#include <algorithm>

namespace datum {
namespace {

/// Those that were made with the model, or new ones.
std::shared_ptr<const SurfacePatches> patches_of(const SurfaceModel& model, double reach_mm) {
  const auto found = model.patches.find(reach_mm);
  if (found != model.patches.end()) return found->second;
  SurfaceMap map;
  map.model = model.triangles;
  map.regions = model.regions;
  map.region_of_facet = model.region_of_facet;
  return std::make_shared<const SurfacePatches>(map, reach_mm);
}

}  // namespace

PatchedPoints::PatchedPoints(const SurfaceModel& model, const SurfaceRecipe& recipe, AreaSharer* sharer,
                             std::size_t points)
    : model_(model) {
  const std::vector<double> reaches = reaches_of(recipe);
  for (const double reach_mm : reaches) patches_.push_back(patches_of(model, reach_mm));
  for (const RegionDemand& region : recipe.regions) {
    const auto at = std::find(reaches.begin(), reaches.end(), region.max_gap_mm);
    of_gap_.push_back(static_cast<std::size_t>(at - reaches.begin()));
  }
  if (sharer && model.areas) declined_ = sharer->declines(points);
  if (sharer && model.areas && declined_.empty())
    sharer_ = sharer;
  else
    here_.emplace(borrowed(), points);
}

std::vector<const SurfacePatches*> PatchedPoints::borrowed() const {
  std::vector<const SurfacePatches*> patches;
  for (const auto& p : patches_) patches.push_back(p.get());
  return patches;
}

std::future<std::vector<SurfaceCover>> PatchedPoints::covers(SurfaceMap& map, unsigned threads) {
  return here_ ? here_->covers(map, 1, threads)
               : covers_of(map, model_.areas, borrowed(), *sharer_, 1, threads);
}

std::future<std::vector<SurfaceCover>> PatchedPoints::covers(std::vector<UnsetList<std::uint32_t>> marks,
                                                             unsigned threads) const {
  return covers_by(std::move(marks), borrowed(), 1, threads);
}

std::vector<double> PatchedPoints::gaps_mm2(const std::vector<SurfaceCover>& covers) const {
  std::vector<double> gaps;
  for (std::size_t r = 0; r < of_gap_.size(); ++r) {
    const SurfaceCover& cover = covers[of_gap_[r]];
    gaps.push_back(cover.area_mm2[r] - cover.covered_mm2[r]);
  }
  return gaps;
}

}  // namespace datum
