#include "gpu/area_share/area_share.h"

#include <algorithm>
#include <stdexcept>

namespace datum {
namespace {

/// A half of cut `at`: a patch, or a cut behind it, so that looking for a patch ends.
bool is_half(std::int64_t at, std::int32_t half, std::size_t cuts, std::size_t patches) {
  return half < 0 ? static_cast<std::size_t>(~half) < patches
                  : half > at && static_cast<std::size_t>(half) < cuts;
}

bool is_listed(const PatchLists& lists) {
  const std::size_t patches = lists.area_mm2.size();
  return lists.first_near.size() == patches + 1 && lists.first_near.front() == 0 &&
         std::is_sorted(lists.first_near.begin(), lists.first_near.end()) &&
         lists.first_near.back() == lists.near.size() &&
         std::all_of(lists.near.begin(), lists.near.end(), [&](std::uint32_t k) { return k < patches; });
}

bool holds_together(const PatchLists& lists, std::size_t facets) {
  const std::size_t cuts = lists.cuts.size(), patches = lists.area_mm2.size();
  if (lists.root.size() != facets || cuts > INT32_MAX || patches > INT32_MAX || !is_listed(lists))
    return false;
  for (std::size_t i = 0; i < cuts; ++i)
    for (const std::int32_t half : lists.cuts[i].half)
      if (!is_half(static_cast<std::int64_t>(i), half, cuts, patches)) return false;
  return std::all_of(lists.root.begin(), lists.root.end(),
                     [&](std::int32_t root) { return is_half(-1, root, cuts, patches); });
}

}  // namespace

void check(const AreaModel& model) {
  const bool counts = model.triangles && !model.reaches.empty() && model.reaches.size() <= most_reaches &&
                      (model.region.empty() || model.region.size() == model.triangles->corner.size());
  if (counts && std::all_of(model.reaches.begin(), model.reaches.end(), [&](const auto& lists) {
        return lists && holds_together(*lists, model.triangles->corner.size());
      }))
    return;
  throw std::invalid_argument("area of points: the patches' lists name what there is none of");
}

}  // namespace datum
