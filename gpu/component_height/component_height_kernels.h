// What a backend does for one component; everything around it is shared.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/component_height/component_height.h"
#include "gpu/component_height/component_height_math.h"

namespace datum::height {

/// Window that holds all runs.
struct Window {
  std::int32_t row = 0, col = 0, rows = 0, cols = 0;
};
Window window_of(const PixelRun* runs, std::uint32_t run_count);

/// Heights in run order, no_height where there is none.
void quantise_heights(const BodyPixels& body, Isa isa, std::int32_t* nm);
/// Sums over heights, places relative to (row0, col0).
HeightMoments moments(const BodyPixels& body, const std::int32_t* nm, std::int32_t row0, std::int32_t col0,
                      Isa isa);
/// Highest minimum of a complete 3 x 3 patch; counts the complete patches.
std::int32_t opened_maximum(const BodyPixels& body, const std::int32_t* nm, const Window& window,
                            std::uint32_t* patches);

/// Exact order statistics of heights: a sample of them tells between which values a rank lies, a selection among those
/// does the rest. Where the sample was no good one, all are selected among.
class RankSelector {
 public:
  /// `nm`: `count` heights, `valid` of them not no_height, at least one; they outlive the selector.
  RankSelector(const std::int32_t* nm, std::size_t count, std::uint32_t valid, Isa isa);
  /// z_(rank) for ranks[0] <= ranks[1] <= ..., each from 1 to `valid`; one pass over the heights.
  void at(const std::uint32_t* ranks, int count, std::int32_t* found);

 private:
  std::uint32_t choose(std::int32_t low, std::int32_t high);

  const std::int32_t* nm_;
  const std::size_t count_;
  const std::uint32_t valid_;
  const Isa isa_;
  std::vector<std::int32_t> sample_;  // in ascending order
  std::vector<std::int32_t> chosen_;
};

}  // namespace datum::height
