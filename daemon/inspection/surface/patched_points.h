// The points of a part on the patches of its recipe's covers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_model.h"

namespace datum {

/// Put there by a sharer when all are judged, or here one after the other. Borrows all that it is made of.
class PatchedPoints {
 public:
  /// `sharer` null: here. Throws std::invalid_argument for a reach that cuts the model too fine.
  PatchedPoints(const SurfaceModel& model, const SurfaceRecipe& recipe, AreaSharer* sharer,
                std::size_t points);
  /// Gets all points as they are judged; null: nobody asks.
  PointsOnPatches* here() { return here_ ? &*here_ : nullptr; }
  /// When all are judged; once. Fills map.area_mm2; the covers, as reaches_of() the recipe, may come later.
  std::future<std::vector<SurfaceCover>> covers(SurfaceMap& map, unsigned threads);
  /// The same where a comparison has filled map.area_mm2: from how many points mark each patch.
  std::future<std::vector<SurfaceCover>> covers(std::vector<UnsetList<std::uint32_t>> marks,
                                                unsigned threads) const;
  /// Area of each region farther from every point than allowed.
  std::vector<double> gaps_mm2(const std::vector<SurfaceCover>& covers) const;
  /// Who shared the areas, where a sharer was asked.
  std::string describe() const { return sharer_ ? sharer_->describe() : declined_; }

 private:
  std::vector<const SurfacePatches*> borrowed() const;

  const SurfaceModel& model_;
  std::vector<std::shared_ptr<const SurfacePatches>> patches_;  // as reaches_of()
  std::vector<std::size_t> of_gap_;                             // of each region: those of its max_gap_mm
  AreaSharer* sharer_ = nullptr;
  std::string declined_;
  std::optional<PointsOnPatches> here_;
};

}  // namespace datum
