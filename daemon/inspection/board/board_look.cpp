#include "daemon/inspection/board/board_look.h"

#include "gpu/core/backend.h"
#include "gpu/lu/system_inverter.h"

namespace datum {

std::optional<BoardWarp> warp_over(std::span<const BoardLook* const> looks,
                                   const std::vector<std::size_t>& shown_in, const InspectionInputs& in,
                                   const SnapshotSteps& steps, BoardVerdict& v) {
  if (!in.recipe->warp) return std::nullopt;
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  CpuSystemInverter here(cpu_backend(threads));
  SystemInverter& inverter = in.inverter ? *in.inverter : here;
  std::vector<SitesFloors> floors;
  for (const std::size_t k : shown_in)
    floors.push_back(k == not_shown ? SitesFloors{}
                                    : SitesFloors{&looks[k]->hand.placement, &looks[k]->sites(),
                                                  &looks[k]->hand.scan->floors()});
  BoardWarp warp = warp_of(*in.recipe, floors, steps, threads, inverter);
  if (const std::string who = inverter.describe(); in.inverter && who != v.backend)
    v.backend += "; warp: " + who;
  for (const BoardLook* look : looks)
    look_beside_knots(warp, {*in.recipe, look->frame, look->hand.placement, look->hand.view}, threads);
  return warp;
}

}  // namespace datum
