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

/// z of a body's pixels over a floor, in the order of its runs, followed by pixel_padding unused ones.
struct BodyHeights {
  const SitePlan& site;
  const PixelRun* runs;
  const float* z;
  const PlaneFit& floor;
};

/// The body's pixels over that floor in the kernels' form; their memory is `body`'s.
BodyPixels pixels_of(const BodyHeights& body);

/// Heights of ranks low <= high of the body's `valid` (at least one) pixels with a height; ranks beyond them
/// are the last ones. `near`: a known rank over the same floor. Where the density of heights is as there,
/// only the heights in between are examined: about 0.5 ns a pixel, else 10.
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
