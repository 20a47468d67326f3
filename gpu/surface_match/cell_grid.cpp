#include "gpu/surface_match/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace datum::match {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr std::size_t most_cells = std::size_t{1} << 23;
constexpr float balls_per_cell =
    12;  // of a surface's occupied cells; measured best of 4 to 32 for the cone of bench_match

bool usable(const Ball& b) {
  return std::fabs(b.x) <= 1e15f && std::fabs(b.y) <= 1e15f && std::fabs(b.z) <= 1e15f && b.radius <= 1e15f;
}

float coordinate(const Ball& b, int axis) { return axis == 0 ? b.x : axis == 1 ? b.y : b.z; }

/// Level 0 holds balls up to twice the median radius, each further one four times larger ones, the last the rest.
class Levels {
 public:
  Levels(const std::vector<Ball>& balls, std::vector<std::uint32_t> kept, bool radii) : members_(1) {
    members_[0] = std::move(kept);
    if (!radii || members_[0].empty()) return;
    std::vector<float> sizes;
    for (const std::uint32_t i : members_[0]) sizes.push_back(balls[i].radius);
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                     sizes.end());
    const float limit = std::max(2 * sizes[sizes.size() / 2], std::numeric_limits<float>::min());
    const std::vector<std::uint32_t> all = std::move(members_[0]);
    members_.assign(most_levels, {});
    for (const std::uint32_t i : all) {
      std::size_t level = 0;
      for (float most = limit; level + 1 < most_levels && balls[i].radius > most; most *= 4) ++level;
      members_[level].push_back(i);
    }
  }
  const std::vector<std::vector<std::uint32_t>>& members() const { return members_; }

 private:
  std::vector<std::vector<std::uint32_t>> members_;
};

/// A surface of n balls has about n / balls_per_cell cells in a box whose two longest sides hold it.
Grid grid_of(const std::vector<Ball>& balls, const std::vector<std::uint32_t>& members) {
  Grid g{};
  for (int k = 0; k < 3; ++k) {
    g.low[k] = infinite;
    g.high[k] = -infinite;
  }
  for (const std::uint32_t i : members) {
    for (int k = 0; k < 3; ++k) {
      g.low[k] = std::min(g.low[k], coordinate(balls[i], k));
      g.high[k] = std::max(g.high[k], coordinate(balls[i], k));
    }
    g.most_radius = std::max(g.most_radius, balls[i].radius);
  }
  double side[3];
  for (int k = 0; k < 3; ++k) side[k] = double{g.high[k]} - g.low[k];
  const double area = side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
  const double longest = std::max({side[0], side[1], side[2]});
  double cell = std::max({std::sqrt(area * balls_per_cell / static_cast<double>(members.size())),
                          2.0 * g.most_radius, longest / (1 << 20), 1e-20});
  const auto count = [&](int k) { return std::floor(side[k] / cell) + 1; };
  while (count(0) * count(1) * count(2) > double{most_cells}) cell *= 1.25;
  g.cell = static_cast<float>(cell);
  g.per_cell = 1 / g.cell;
  for (int k = 0; k < 3; ++k) g.cells[k] = static_cast<std::uint32_t>(count(k));
  return g;
}

class Filler {
 public:
  Filler(const std::vector<Ball>& balls, bool radii, CellGrid* out)
      : balls_(balls), radii_(radii), out_(*out) {}

  void add(const std::vector<std::uint32_t>& members) {
    Grid g = grid_of(balls_, members);
    g.first_cell = static_cast<std::uint32_t>(out_.begin.size());
    const std::size_t cells = std::size_t{g.cells[0]} * g.cells[1] * g.cells[2];
    const auto base = static_cast<std::uint32_t>(out_.number.size());
    std::vector<std::uint32_t> cell(members.size()), next(cells + 1, 0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Ball& b = balls_[members[i]];
      cell[i] = (cell_of(g, 2, b.z) * g.cells[1] + cell_of(g, 1, b.y)) * g.cells[0] + cell_of(g, 0, b.x);
      ++next[cell[i] + 1];
    }
    for (std::size_t i = 0; i < cells; ++i) next[i + 1] += next[i];
    for (const std::uint32_t n : next) out_.begin.push_back(base + n);
    out_.number.resize(base + members.size());
    for (std::size_t i = 0; i < members.size(); ++i) out_.number[base + next[cell[i]]++] = members[i];
    out_.grid[out_.levels++] = g;
  }

  void finish() {
    out_.x.reserve(out_.number.size() + lanes);
    for (const std::uint32_t i : out_.number) put(balls_[i]);
    for (std::uint32_t i = 0; i < lanes; ++i) put({infinite, infinite, infinite, 0});
  }

 private:
  void put(const Ball& b) {
    out_.x.push_back(b.x);
    out_.y.push_back(b.y);
    out_.z.push_back(b.z);
    if (radii_) out_.radius.push_back(b.radius);
  }

  const std::vector<Ball>& balls_;
  bool radii_;
  CellGrid& out_;
};

}  // namespace

CellGrid cell_grid(const std::vector<Ball>& balls, bool radii) {
  CellGrid out;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < balls.size(); ++i) {
    const Ball& b = balls[i];
    if (!usable(b)) continue;
    kept.push_back(i);
    out.farthest = std::max({out.farthest, std::fabs(b.x), std::fabs(b.y), std::fabs(b.z)});
  }
  const Levels levels(balls, std::move(kept), radii);
  Filler filler(balls, radii, &out);
  for (const auto& members : levels.members())
    if (!members.empty()) filler.add(members);
  filler.finish();
  return out;
}

}  // namespace datum::match
