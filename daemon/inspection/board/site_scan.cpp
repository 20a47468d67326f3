#include "daemon/inspection/board/site_scan.h"

#include "daemon/inspection/board/board_warp.h"
#include "daemon/inspection/verdict/characteristic.h"
#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height.h"

namespace datum {
namespace {

/// A body over a floor other than the backend's: measured again on the host, with every backend's bytes.
BodyRecord record_over(const BodyHeights& body, const Component& component) {
  return measure_body(pixels_of(body), demand_of(component), best_isa());
}

}  // namespace

SiteScan::SiteScan(const Recipe& recipe, const PlannedBoard& board, const HeightFrame& frame)
    : recipe_(recipe),
      board_(board),
      frame_(frame),
      plan_(board.plan.plan()),
      records_(board.sites.size()),
      floors_(board.sites.size()),
      bodies_(recipe.components.size()) {
  if (!recipe.uncertainty.ring_structure_is_board) noise_.emplace(plan_);
}

void SiteScan::look(std::size_t i, const SiteHeights& heights) {
  const bool patch = i >= recipe_.components.size();
  floors_[i] = floor_of(patch ? patch_gates(recipe_.floor, board_.sites[i]) : recipe_.floor, board_, i,
                        records_[i], heights.ring, frame_);
  if (noise_) noise_->look(i, floors_[i], heights.ring);
  if (!patch && board_.sites[i].reason == Reason::none && floors_[i].reason == Reason::none)
    bodies_[i] = seen(floors_[i], i, heights.body);
}

SeenBody SiteScan::seen_over(const Floor& floor, std::size_t i) {
  return seen(floor, i, take_body(plan_, plan_.sites[i], view_of(frame_), best_isa()).get());
}

SeenBody SiteScan::seen(const Floor& floor, std::size_t i, const float* body_z) {
  const Component& component = recipe_.components[i];
  const SitePlan& site = plan_.sites[i];
  const BodyHeights body{site, plan_.runs + site.body_run, body_z, floor.fit};
  if (floor.from_warp || floor.measured_again) records_[i].body = record_over(body, component);
  SeenBody s;
  s.heights = derive(records_[i].body, demand_of(component));
  s.evidence = body_evidence(body, board_.shapes[i].body, view_of(frame_).classes, plan_.cols,
                             records_[i].body, s.heights, wanted_ranks(component));
  return s;
}

FrameNoise SiteScan::noise(unsigned threads) {
  return noise_ ? noise_->noise(view_of(frame_), floors_, threads) : FrameNoise();
}

}  // namespace datum
