#include "daemon/inspection/board/site_scan.h"

#include "daemon/inspection/board/board_warp.h"
#include "daemon/inspection/verdict/characteristic.h"
#include "gpu/board/cpu_board.h"
#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height.h"

namespace datum {
SiteScan::SiteScan(const PlannedBoard& board, const FrameView& frame)
    : board_(board),
      frame_(frame),
      plan_(board.plan.plan()),
      records_(board.sites.size()),
      floors_(board.sites.size()),
      bodies_(board.demands.bodies.size()) {
  if (!board.demands.ring_structure_is_board) noise_.emplace(plan_);
}

void SiteScan::look(std::size_t i, const SiteHeights& heights) {
  const FloorSettings& floor = board_.demands.floor;
  const bool patch = i >= bodies_.size();
  floors_[i] =
      floor_of(patch ? patch_gates(floor, board_.sites[i]) : floor, board_, i, records_[i], heights.ring);
  if (noise_) noise_->look(i, floors_[i], heights.ring);
  if (!patch && board_.sites[i].reason == Reason::none && floors_[i].reason == Reason::none)
    bodies_[i] = seen(floors_[i], i, heights.body, heights.body_nm);
}

SeenBody SiteScan::seen_over(const Floor& floor, std::size_t i) {
  return seen(floor, i, take_body(plan_, plan_.sites[i], frame_, best_isa()).get(), nullptr);
}

SeenBody SiteScan::seen(const Floor& floor, std::size_t i, const float* body_z, const std::int32_t* nm) {
  const SitePlan& site = plan_.sites[i];
  const auto& [demand, ranks] = board_.demands.bodies[i];
  BodyScratch own;
  if (floor.from_warp || floor.measured_again) {
    // over a floor other than the backend's: measured again on the host, with every backend's bytes
    records_[i].body = measure_body(body_pixels(plan_, site, body_z, floor.fit), demand, best_isa(), &own);
    nm = own.nm.get();
  }
  SeenBody s;
  s.heights = derive(records_[i].body, demand);
  s.evidence = body_evidence({site, plan_.runs + site.body_run, nm}, board_.shapes[i].body, frame_.classes,
                             plan_.cols, records_[i].body, s.heights, ranks);
  return s;
}

FrameNoise SiteScan::noise(unsigned threads) {
  return noise_ ? noise_->noise(frame_, floors_, threads) : FrameNoise();
}

}  // namespace datum
