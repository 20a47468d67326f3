// The host's evaluation of the sites of one frame while their pixels are in cache: floors, bodies, noise.
#pragma once

#include <optional>
#include <vector>

#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/frame_noise.h"
#include "gpu/board/board_measurer.h"

namespace datum {

/// A body over its valid floor.
struct SeenBody {
  HeightStatistics heights;
  BodyEvidence evidence;
};

/// Borrows its inputs. A site's pixels are read again only for a floor that replaces a refused one.
class SiteScan {
 public:
  SiteScan(const PlannedBoard& board, const FrameView& frame);

  /// Destination of the backend's records: one for each site of the plan.
  SiteRecord* records() { return records_.data(); }
  /// Evaluates a site whose record is complete; called by SiteWork.
  void look(std::size_t site, const SiteHeights& heights);
  /// A component over a floor other than its ring's.
  SeenBody seen_over(const Floor& floor, std::size_t site);

  std::vector<Floor>& floors() { return floors_; }
  /// Empty where the floor was refused.
  const std::vector<SeenBody>& bodies() const { return bodies_; }
  /// After all sites; none where the recipe attributes the rings' structure to the board.
  FrameNoise noise(unsigned threads);

 private:
  /// `nm`: over the record's floor; not read where the floor is another one.
  SeenBody seen(const Floor& floor, std::size_t site, const float* body_z, const std::int32_t* nm);

  const PlannedBoard& board_;
  const FrameView frame_;
  const BoardPlan plan_;
  std::vector<SiteRecord> records_;
  std::vector<Floor> floors_;
  std::vector<SeenBody> bodies_;  // of the components
  std::optional<FrameNoiseScan> noise_;
};

}  // namespace datum
