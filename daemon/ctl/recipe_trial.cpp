#include "daemon/ctl/recipe_trial.h"

#include <algorithm>
#include <map>

namespace datum {
namespace {

bool is_floor(Reason reason) {
  return std::string(name_of(reason)).starts_with("FLOOR_") || reason == Reason::out_of_view;
}

}  // namespace

FloorShare floor_share(const std::vector<TriedBoard>& boards) {
  FloorShare share;
  std::map<std::pair<std::string, std::string>, int> refused;
  for (const TriedBoard& board : boards) {
    if (!board.now || board.now->surface) continue;
    for (const ComponentVerdict& c : board.now->components) {
      if (c.warp) continue;  // the board's own row
      ++share.components;
      const auto why =
          std::find_if(c.checks.begin(), c.checks.end(), [](const auto& k) { return is_floor(k.reason); });
      if (why == c.checks.end())
        ++share.good;
      else
        ++refused[{c.reference, name_of(why->reason)}];
    }
  }
  for (const auto& [of, count] : refused) share.refused.push_back({of.first, of.second, count});
  std::stable_sort(share.refused.begin(), share.refused.end(),
                   [](const auto& a, const auto& b) { return a.boards > b.boards; });
  return share;
}

}  // namespace datum
