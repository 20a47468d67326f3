#include "daemon/design/outline_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace datum::design {
namespace {

constexpr double tolerance_mm = 0.01;

/// Ends of paths by cells of the tolerance, so that a chain of n paths takes n steps.
class Ends {
 public:
  void add(const Point& p, std::size_t path) { cells_[cell_of(p)].push_back(path); }
  /// A path with an end at p that `accepts`.
  template <class Accepts>
  std::optional<std::size_t> near(const Point& p, Accepts accepts) const {
    const auto [x, y] = cell_of(p);
    for (long dx = -1; dx <= 1; ++dx)
      for (long dy = -1; dy <= 1; ++dy)
        if (const auto cell = cells_.find({x + dx, y + dy}); cell != cells_.end())
          for (const std::size_t path : cell->second)
            if (accepts(path)) return path;
    return std::nullopt;
  }

 private:
  static std::pair<long, long> cell_of(const Point& p) {
    return {std::lround(p.x() / tolerance_mm), std::lround(p.y() / tolerance_mm)};
  }
  std::map<std::pair<long, long>, std::vector<std::size_t>> cells_;
};

bool meet(const Point& a, const Point& b) { return (a - b).norm() <= tolerance_mm; }

}  // namespace

void chain_outline(const std::vector<Polygon>& paths, const std::string& name, Design& design) {
  Ends ends;
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (paths[i].size() > 1) {
      ends.add(paths[i].front(), i);
      ends.add(paths[i].back(), i);
    }
  std::vector<char> used(paths.size());
  std::vector<Polygon> loops;
  std::optional<Point> open;
  for (std::size_t start = 0; start < paths.size(); ++start) {
    if (used[start] || paths[start].size() < 2) continue;
    used[start] = 1;
    Polygon chain = paths[start];
    while (!meet(chain.front(), chain.back()) || chain.size() < 3) {
      const auto next = ends.near(chain.back(), [&](std::size_t i) {
        return !used[i] && (meet(paths[i].front(), chain.back()) || meet(paths[i].back(), chain.back()));
      });
      if (!next) break;
      used[*next] = 1;
      const Polygon& path = paths[*next];
      if (meet(path.front(), chain.back()))
        chain.insert(chain.end(), path.begin() + 1, path.end());
      else
        chain.insert(chain.end(), path.rbegin() + 1, path.rend());
    }
    if (chain.size() > 3 && meet(chain.front(), chain.back())) {
      chain.pop_back();
      loops.push_back(std::move(chain));
    } else if (!open) {
      open = chain.back();
    }
  }
  if (loops.empty() && open)
    throw DesignError(fmt::format(
        "{}: the board's outline is open at x {:.3f}, y {:.3f} mm; its lines must meet within {:g} mm", name,
        open->x(), open->y(), tolerance_mm));
  if (open)
    design.remarks.push_back(fmt::format("a line of the outline layer closes no loop (x {:.3f}, y {:.3f} mm)",
                                         open->x(), open->y()));
  std::stable_sort(loops.begin(), loops.end(), [](const Polygon& a, const Polygon& b) {
    return std::abs(area_of(a)) > std::abs(area_of(b));
  });
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (i == 0)
      design.outline = std::move(loops[i]);
    else
      design.cutouts.push_back(std::move(loops[i]));
}

}  // namespace datum::design
