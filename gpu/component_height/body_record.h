// What the pixels of one body give: exact integers, so that neither the order of the pixels nor the backend
// shows. Heights in nm over the floor's plane, perpendicular to it. Plain memory without padding. C++17.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/component_height/box_products.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Heights of the sorted list at a rank and at its two neighbours (ranks_of in
/// gpu/component_height/height_math.h).
struct RankedHeights {
  std::int32_t low_nm = 0, nm = 0, high_nm = 0;
};

/// The k highest: the k-th, and what lies strictly above it. With fewer than k heights the threshold is
/// INT32_MIN.
struct TopHeights {
  std::int64_t sum_above_nm = 0;
  std::int32_t threshold_nm = 0;
  std::uint32_t above = 0;
};

/// Sums over the pixels with a height h: columns c and rows r from (row0, col0) of the record. Sum of h^2 is
/// hh_high * 2^32 + hh_low with hh_low < 2^32.
struct HeightMoments {
  std::int64_t c = 0, r = 0, cc = 0, cr = 0, rr = 0, ch = 0, rh = 0, hh_high = 0, hh_low = 0;
};

/// All zero where no pixel has a height.
struct BodyRecord {
  std::int64_t sum_nm = 0;
  std::uint32_t valid = 0;    // pixels with a height
  std::uint32_t present = 0;  // of them above HeightDemand::present_above_um
  std::int32_t min_nm = 0, max_nm = 0;
  std::uint32_t patches = 0;        // complete 3 x 3 patches, where SitePlan::opened_maximum asks for them
  std::int32_t opened_max_nm = 0;   // highest minimum of such a patch; INT32_MIN where there is none
  std::int32_t row0 = 0, col0 = 0;  // middle of the window that holds the body
  HeightMoments moments;
  TopHeights top[max_top_counts];
  RankedHeights median_low, median_high, quantiles[max_quantiles];
  BoxProducts residuals;  // about the top plane, steps of its rms / 32; zero where there is no such plane
};
static_assert(std::is_trivially_copyable_v<BodyRecord>);
static_assert(sizeof(BodyRecord) == 40 + sizeof(HeightMoments) + max_top_counts * sizeof(TopHeights) +
                                        (2 + max_quantiles) * sizeof(RankedHeights) + sizeof(BoxProducts),
              "a padded record has bytes that mean nothing");

}  // namespace datum
