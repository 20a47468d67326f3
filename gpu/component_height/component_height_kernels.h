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

/// Exact order statistics of integers: a histogram tells the bin of a rank, a selection among the values of
/// that bin does the rest.
class RankSelector {
 public:
  /// `values`: not empty, in any order; they outlive the selector.
  RankSelector(const std::vector<std::int32_t>& values, Isa isa);
  /// z_(rank) for ranks[0] <= ranks[1] <= ..., each from 1 to the number of values; one pass over the values.
  void at(const std::uint32_t* ranks, int count, std::int32_t* found);
  std::int32_t min() const { return min_; }
  std::int32_t max() const { return max_; }

 private:
  std::uint32_t bin_of(std::int32_t v) const {
    return (static_cast<std::uint32_t>(v) - static_cast<std::uint32_t>(min_)) >> shift_;
  }

  const std::vector<std::int32_t>& values_;
  std::int32_t min_, max_;
  int shift_ = 0;
  std::vector<std::uint32_t> below_;  // values in lower bins
  std::vector<std::int32_t> chosen_;
};

}  // namespace datum::height
