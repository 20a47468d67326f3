#include "daemon/cell/part_holes.h"

#include <utility>

#include "daemon/inspection/surface/surface_recipe.h"

namespace datum {

void PartHoles::start(const std::shared_ptr<BoardOrder>& order, std::function<void()> ended) {
  const SurfaceRecipe& surface = *order->recipe->surface;
  TourDemand demand;
  demand.travel_z_mm = surface.touching.travel_z_mm;
  demand.calibration = order->calibration;
  for (const HoleDemand& hole : surface.holes) {
    const TakenSnapshot& shown = order->taken[hole.snapshot];
    demand.holes.push_back({hole.name,
                            {surface.machine_from_model * hole.center_mm, hole.diameter_mm / 2,
                             hole.search_mm, hole.diameter_search_mm / 2},
                            {order, &shown.frame.frame},
                            shown.frame.identity,
                            pose_of(shown.pairing).q_mm});
  }
  tour_.start(std::move(demand), [order, ended = std::move(ended)](std::vector<HoleEvidence> touched) {
    order->holes = std::move(touched);
    ended();
  });
}

}  // namespace datum
