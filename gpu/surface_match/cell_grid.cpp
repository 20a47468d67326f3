#include "gpu/surface_match/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace datum::match {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr std::size_t most_cells = std::size_t{1} << 23;
constexpr float balls_per_cell =
    12;  // of a surface's occupied cells. 6: a GPU is a fifth faster, the build half as slow again

float coordinate(const Ball& b, int axis) { return axis == 0 ? b.x : axis == 1 ? b.y : b.z; }

/// Of some balls, evenly spread over all.
std::vector<float> some_radii(const std::vector<Ball>& balls, const std::vector<std::uint32_t>& kept) {
  const std::size_t step = kept.size() / 4096 + 1;
  std::vector<float> sizes;
  for (std::size_t i = 0; i < kept.size(); i += step) sizes.push_back(balls[kept[i]].radius);
  return sizes;
}

std::vector<std::vector<std::uint32_t>> levels_of(const std::vector<Ball>& balls,
                                                  std::vector<std::uint32_t> kept) {
  const float limit = limit_of(some_radii(balls, kept));
  std::vector<std::vector<std::uint32_t>> levels(most_levels);
  const auto large = [&](std::uint32_t i) { return balls[i].radius > limit; };
  for (const std::uint32_t i : kept)
    if (large(i)) levels[level_of(balls[i].radius, limit)].push_back(i);
  kept.erase(std::remove_if(kept.begin(), kept.end(), large), kept.end());
  levels[0] = std::move(kept);
  return levels;
}

Grid grid_of(const std::vector<Ball>& balls, const std::vector<std::uint32_t>& members) {
  Bounds b{};
  for (int k = 0; k < 3; ++k) {
    b.low[k] = infinite;
    b.high[k] = -infinite;
  }
  b.count = static_cast<std::uint32_t>(members.size());
  for (const std::uint32_t i : members) {
    for (int k = 0; k < 3; ++k) {
      b.low[k] = std::min(b.low[k], coordinate(balls[i], k));
      b.high[k] = std::max(b.high[k], coordinate(balls[i], k));
    }
    b.most_radius = std::max(b.most_radius, balls[i].radius);
  }
  return grid_over(b);
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
    const std::size_t size = out_.number.size();
    for (auto* v : {&out_.x, &out_.y, &out_.z}) v->resize(size + lanes, infinite);
    if (radii_) out_.radius.resize(size + lanes, 0);
    for (std::size_t i = 0; i < size; ++i) {
      const Ball& b = balls_[out_.number[i]];
      out_.x[i] = b.x;
      out_.y[i] = b.y;
      out_.z[i] = b.z;
      if (radii_) out_.radius[i] = b.radius;
    }
  }

 private:
  const std::vector<Ball>& balls_;
  bool radii_;
  CellGrid& out_;
};

}  // namespace

float limit_of(std::vector<float> radii) {
  constexpr float least = std::numeric_limits<float>::min();
  if (radii.empty()) return least;
  const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::nth_element(radii.begin(), middle, radii.end());
  return std::max(2 * *middle, least);
}

/// A surface of n balls has about n / balls_per_cell cells in a box whose two longest sides hold it.
Grid grid_over(const Bounds& b) {
  Grid g{};
  double side[3];
  for (int k = 0; k < 3; ++k) {
    g.low[k] = b.low[k];
    g.high[k] = b.high[k];
    side[k] = double{g.high[k]} - g.low[k];
  }
  g.most_radius = b.most_radius;
  const double area = side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
  const double longest = std::max({side[0], side[1], side[2]});
  double cell = std::max({std::sqrt(area * balls_per_cell / static_cast<double>(b.count)),
                          double{g.most_radius}, longest / (1 << 20), 1e-20});
  const auto count = [&](int k) { return std::floor(side[k] / cell) + 1; };
  while (count(0) * count(1) * count(2) > double{most_cells}) cell *= 1.25;
  g.cell = static_cast<float>(cell);
  g.per_cell = 1 / g.cell;
  for (int k = 0; k < 3; ++k) g.cells[k] = static_cast<std::uint32_t>(count(k));
  return g;
}

CellGrid cell_grid(const std::vector<Ball>& balls, bool radii) {
  CellGrid out;
  std::vector<std::uint32_t> kept;
  kept.reserve(balls.size());
  for (std::uint32_t i = 0; i < balls.size(); ++i) {
    const Ball& b = balls[i];
    if (!usable(b)) continue;
    kept.push_back(i);
    out.farthest = std::max({out.farthest, std::fabs(b.x), std::fabs(b.y), std::fabs(b.z)});
  }
  Filler filler(balls, radii, &out);
  if (!kept.empty())
    for (const auto& members : levels_of(balls, std::move(kept)))
      if (!members.empty()) filler.add(members);
  filler.finish();
  return out;
}

}  // namespace datum::match
