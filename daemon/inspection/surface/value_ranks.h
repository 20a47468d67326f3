// Values at ranks among many, without sorting them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace datum {

/// The values that `first` and `second` of all do not exceed from below: those at these places if all were sorted. None is NaN; -0 and 0
/// are one value. Nothing depends on `threads`.
std::pair<float, float> values_at(std::span<const float> values, std::size_t first, std::size_t second,
                                  unsigned threads);

}  // namespace datum
