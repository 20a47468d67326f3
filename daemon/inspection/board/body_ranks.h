// Heights of a body by their rank.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/component_height/component_height.h"
#include "gpu/core/board_plan.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

struct RankPair {
  std::int32_t low_nm = 0, high_nm = 0;
};

/// Heights of a body's pixels over its floor in nm, in the order of its runs; height::no_height where there is none.
struct BodyHeights {
  const SitePlan& site;
  const PixelRun* runs;
  const std::int32_t* nm;
};

/// Heights of ranks low <= high of the body's `valid` (at least one) pixels with a height; ranks beyond them
/// are the last ones. `near`: a known rank. Where the density of heights is as there, only the heights in between are
/// examined further.
RankPair heights_of_ranks(const BodyHeights& body, std::uint32_t valid, const OrderStatistic& near,
                          std::int64_t low, std::int64_t high);

/// Ranks required by checks: the median, and percentiles in the order of HeightStatistics::quantiles.
struct WantedRanks {
  bool median = false;
  std::vector<double> quantiles;
};

/// Heights of a rank of all pixels if the missing ones were all the lowest (low_nm) or all the highest
/// (high_nm); none where no pixel is missing.
struct MissingRanks {
  RankPair median;
  std::vector<RankPair> quantiles;
};

MissingRanks missing_ranks(const BodyHeights& body, std::uint32_t missing, const HeightStatistics& heights,
                           const WantedRanks& wanted);

}  // namespace datum
