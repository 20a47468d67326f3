// Heights of a body by their rank.
#pragma once

#include <cstdint>

#include "gpu/component_height/component_height.h"
#include "gpu/core/board_plan.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

struct RankPair {
  std::int32_t low_nm = 0, high_nm = 0;
};

/// The heights of ranks low <= high of the body's `valid` pixels with a height over `floor`, at least one; ranks beyond them are
/// the last ones. `near`: a rank that is known over the same floor; where the heights are as dense as there, only those
/// between are looked at: about 0.5 ns a pixel, else 10.
RankPair heights_of_ranks(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                          const PlaneFit& floor, std::uint32_t valid, const OrderStatistic& near,
                          std::int64_t low, std::int64_t high);

}  // namespace datum
