// Values at ranks among many, without sorting them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace datum {

/// The values that `first` and `second` of all do not exceed from below: those at these places if all were sorted. None is NaN; -0 and 0
/// are one value. Nothing depends on `threads`.
std::pair<float, float> values_at(std::span<const float> values, std::size_t first, std::size_t second,
                                  unsigned threads);

/// Of the values of some of `regions` that at rank `share` of all but one from below, and the one at that rank from above.
struct RegionEnds {
  bool wanted = false;
  std::size_t values = 0;  // 0: the others mean nothing
  float low = 0, high = 0;
};
/// Fills in the wanted ones: element i of `region` belongs to values[i], and may be none of them. Values as above.
void find_ends(std::span<const float> values, std::span<const std::uint16_t> region, double share,
               unsigned threads, std::vector<RegionEnds>& ends);

}  // namespace datum
