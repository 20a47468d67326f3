// Which pixels of a frame are there: ranges that may come in any order.
#pragma once

#include <cstdint>
#include <map>

namespace datum {

class PixelRanges {
 public:
  /// Pixels from `first` to before `end`. False: one of them was there before.
  bool add(std::uint64_t first, std::uint64_t end);
  /// Whether all pixels from `first` to before `end` are there; an empty range always is.
  bool have(std::uint64_t first, std::uint64_t end) const;
  bool empty() const { return ends_.empty(); }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by first pixels; ranges neither touch nor overlap
};

}  // namespace datum
