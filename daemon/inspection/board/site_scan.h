// The host's look at the sites of one frame while their pixels are at hand: floors, bodies, noise.
#pragma once

#include <optional>
#include <vector>

#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/frame_noise.h"
#include "gpu/board/board_measurer.h"

namespace datum {

/// A body over the floor that holds for it.
struct SeenBody {
  HeightStatistics heights;
  BodyEvidence evidence;
};

/// Borrows all that it is made from. No pixel of a site is read a second time but for a floor that stands in for a refused one.
class SiteScan {
 public:
  SiteScan(const Recipe& recipe, const PlannedBoard& board, const HeightFrame& frame);

  /// Where the backend puts its records: one for each site of the plan.
  SiteRecord* records() { return records_.data(); }
  /// A site whose record is complete: of SiteWork.
  void look(std::size_t site, const SiteHeights& heights);
  /// A component over a floor that is not its ring's.
  SeenBody seen_over(const Floor& floor, std::size_t site);

  std::vector<Floor>& floors() { return floors_; }
  /// Empty where the floor was refused.
  const std::vector<SeenBody>& bodies() const { return bodies_; }
  /// After all sites were looked at; none where the recipe says that the rings' structure is the board's.
  FrameNoise noise(unsigned threads);

 private:
  SeenBody seen(const Floor& floor, std::size_t site, const float* body_z);

  const Recipe& recipe_;
  const PlannedBoard& board_;
  const HeightFrame& frame_;
  const BoardPlan plan_;
  std::vector<SiteRecord> records_;
  std::vector<Floor> floors_;
  std::vector<SeenBody> bodies_;  // of the components
  std::optional<FrameNoiseScan> noise_;
};

}  // namespace datum
