#include "daemon/gpu_worker/pixel_ranges.h"

#include <algorithm>
#include <iterator>

namespace datum {

bool PixelRanges::add(std::uint64_t first, std::uint64_t end) {
  if (first >= end) return true;
  const std::uint64_t from = first, to = end;
  bool all_new = true;
  auto next = ends_.upper_bound(first);
  if (next != ends_.begin() && std::prev(next)->second >= first) --next;
  for (; next != ends_.end() && next->first <= end; next = ends_.erase(next)) {
    if (next->second > from && next->first < to) all_new = false;
    first = std::min(first, next->first);
    end = std::max(end, next->second);
  }
  ends_.emplace(first, end);
  return all_new;
}

bool PixelRanges::have(std::uint64_t first, std::uint64_t end) const {
  if (first >= end) return true;
  const auto next = ends_.upper_bound(first);
  return next != ends_.begin() && std::prev(next)->second >= end;
}

}  // namespace datum
