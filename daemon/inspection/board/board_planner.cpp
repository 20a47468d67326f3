#include "daemon/inspection/board/board_planner.h"

#include <algorithm>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/verdict/characteristic.h"
#include "gpu/core/parallel_for.h"

namespace datum {

PlannedBoard plan_board(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                        const BoardView& view, unsigned threads) {
  std::vector<Site> sites(site_count(recipe));
  std::vector<SiteShape> shapes(sites.size());
  parallel_for(threads, sites.size(), [&](std::size_t i, unsigned) {
    sites[i] = site_of(recipe, i, frame, view);
    if (sites[i].reason == Reason::none) shapes[i] = {RingTiles(sites[i].ring), BodyShape(sites[i].body)};
  });
  OwnedBoardPlan plan(recipe, sensor, frame, sites);
  return {std::move(sites), std::move(shapes), std::move(plan), site_demands(recipe), lsb_um(frame)};
}

SiteDemands site_demands(const Recipe& recipe) {
  SiteDemands demands{recipe.floor, recipe.uncertainty.ring_structure_is_board, {}};
  for (const Component& component : recipe.components)
    demands.bodies.push_back({demand_of(component), wanted_ranks(component)});
  return demands;
}

BoardPlanner::Key BoardPlanner::key_of(const Recipe& recipe, const SensorProfile& sensor,
                                       const HeightFrame& frame, const Htm<Board, Sensor>& placement) {
  Key key{recipe.name,
          recipe.sha256,
          sensor.serial,
          sensor.sha256,
          frame.rows,
          frame.cols,
          frame.counts.index(),
          {frame.x.scale_mm, frame.x.offset_mm, frame.y.scale_mm, frame.y.offset_mm, frame.z.scale_mm,
           frame.z.offset_mm},
          {}};
  const Eigen::Matrix4d& m = placement.matrix();
  std::copy(m.data(), m.data() + key.placement.size(), key.placement.begin());
  return key;
}

std::shared_ptr<const PlannedBoard> BoardPlanner::of(const Recipe& recipe, const SensorProfile& sensor,
                                                     const HeightFrame& frame,
                                                     const Htm<Board, Sensor>& placement,
                                                     const BoardView& view, unsigned threads) {
  if (recipe.sha256.empty() || sensor.sha256.empty())
    return std::make_shared<PlannedBoard>(plan_board(recipe, sensor, frame, view, threads));
  Key key = key_of(recipe, sensor, frame, placement);
  const auto known =
      std::find_if(last_.begin(), last_.end(), [&](const auto& entry) { return entry.first == key; });
  if (known != last_.end()) {
    last_.splice(last_.begin(), last_, known);
  } else {
    auto planned = std::make_shared<PlannedBoard>(plan_board(recipe, sensor, frame, view, threads));
    last_.emplace_front(std::move(key), std::move(planned));
    if (last_.size() > most_) last_.pop_back();
  }
  return last_.front().second;
}

}  // namespace datum
