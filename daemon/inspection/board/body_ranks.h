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

/// A body's z over a floor, in the order of its runs; pixel_padding more mean nothing.
struct BodyHeights {
  const SitePlan& site;
  const PixelRun* runs;
  const float* z;
  const PlaneFit& floor;
};

/// The body's pixels over that floor, as the kernels take them; they lie where `body`'s do.
BodyPixels pixels_of(const BodyHeights& body);

/// The heights of ranks low <= high of the body's `valid` pixels with a height over its floor, at least one; ranks beyond them
/// are the last ones. `near`: a rank that is known over the same floor; where the heights are as dense as there, only those
/// between are looked at: about 0.5 ns a pixel, else 10.
RankPair heights_of_ranks(const BodyHeights& body, std::uint32_t valid, const OrderStatistic& near,
                          std::int64_t low, std::int64_t high);

/// What checks ask for: the median, and percentiles in the order of HeightStatistics::quantiles.
struct WantedRanks {
  bool median = false;
  std::vector<double> quantiles;
};

/// Of all pixels, the heights of a rank were the missing ones all the lowest (low_nm), and all the highest (high_nm); none where
/// no pixel is missing.
struct MissingRanks {
  RankPair median;
  std::vector<RankPair> quantiles;
};

MissingRanks missing_ranks(const BodyHeights& body, std::uint32_t missing, const HeightStatistics& heights,
                           const WantedRanks& wanted);

}  // namespace datum
