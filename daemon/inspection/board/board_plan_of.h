// Measuring plan of one board: recipe, sites and frame in the flat form that every backend reads.
#pragma once

#include <vector>

#include "daemon/inspection/board/floor.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Owns the data of a plan. Site i of the plan is component i; a refused component has no pixels.
class OwnedBoardPlan {
 public:
  /// Throws std::invalid_argument for a component with more quantiles or top counts than a plan holds.
  OwnedBoardPlan(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                 const std::vector<Site>& sites);
  /// Valid as long as this object.
  BoardPlan plan() const;
  const std::vector<SitePlan>& sites() const { return sites_; }

 private:
  void add_runs(const std::vector<PixelRun>& runs, const std::vector<std::uint8_t>& sides);

  std::vector<SitePlan> sites_;
  std::vector<PixelRun> runs_;
  std::vector<std::uint8_t> run_side_;
  BoardPlan plan_;
};

/// The frame's heights and classes. The frame outlives the view.
FrameView view_of(const HeightFrame& frame);

/// FNV-1a of the recipe's hash and the reference alone, independent of other components and of the run.
std::uint64_t seed_of(const Recipe& recipe, const Component& component);

}  // namespace datum
