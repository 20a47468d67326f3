#include "daemon/inspection/registration/search_pairs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/inspection/registration/plane_motion.h"

namespace datum {
namespace {

constexpr double level_step = 1.15;
constexpr double long_side_cells = 12;  // from here on a side has two pairs

/// Whether a place is free of bodies other than one's own.
class FreePlaces {
 public:
  FreePlaces(const Recipe& recipe, double margin_mm) {
    for (const Component& c : recipe.components) {
      const double reach = c.body.size_mm.norm() / 2 + 2 * margin_mm;
      const Eigen::Vector2d half = c.body.size_mm / 2 + Eigen::Vector2d::Constant(margin_mm);
      bodies_.push_back({half, axes_of(c.body).transpose()});
      x_mm_.push_back(c.body.centre_mm.x());
      y_mm_.push_back(c.body.centre_mm.y());
      reach2_mm2_.push_back(reach * reach);
    }
  }
  /// `at`: within the reach of one's own body.
  bool free_at(std::size_t own, const Eigen::Vector2d& at) const {
    std::size_t near = 0;  // counted without a branch, for as a rule it is one's own alone
    for (std::size_t i = 0; i < bodies_.size(); ++i) near += is_near(i, at);
    for (std::size_t i = 0; near > 1 && i < bodies_.size(); ++i)
      if (i != own && is_near(i, at) && bodies_[i].has({at.x() - x_mm_[i], at.y() - y_mm_[i]})) return false;
    return true;
  }

 private:
  std::size_t is_near(std::size_t i, const Eigen::Vector2d& at) const {
    const double x = at.x() - x_mm_[i], y = at.y() - y_mm_[i];
    return x * x + y * y <= reach2_mm2_[i] ? 1 : 0;
  }
  struct Body {
    Eigen::Vector2d half_mm;  // with the margin
    Eigen::Matrix2d to_axes;
    bool has(const Eigen::Vector2d& from_centre_mm) const {
      return ((to_axes * from_centre_mm).cwiseAbs().array() <= half_mm.array()).all();
    }
  };
  std::vector<Body> bodies_;
  std::vector<double> x_mm_, y_mm_, reach2_mm2_;  // of each: most are far away
};

std::vector<std::size_t> largest_first(const Recipe& recipe, double lowest_mm) {
  std::vector<std::pair<double, std::size_t>> by_area;
  for (std::size_t i = 0; i < recipe.components.size(); ++i)
    if (stands_up(recipe.components[i], lowest_mm))
      by_area.emplace_back(-recipe.components[i].body.size_mm.prod(), i);
  std::sort(by_area.begin(), by_area.end());
  std::vector<std::size_t> order;
  for (const auto& [area, i] : by_area) order.push_back(i);
  return order;
}

std::size_t level_of(double height_mm, std::vector<double>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (height_mm <= levels[i] * level_step && levels[i] <= height_mm * level_step) return i;
  levels.push_back(height_mm);
  return levels.size() - 1;
}

/// Adds one body's: on either side of its edges where no other body lies, at most two on a side.
void add_pairs(const Component& c, std::size_t own, const FreePlaces& others, double cell_mm,
               SearchPairs& all) {
  const Eigen::Matrix2d axes = axes_of(c.body);
  const Eigen::Vector2d half = c.body.size_mm / 2;
  const std::size_t before = all.pairs.size(), level = level_of(c.nominal_height_um * 1e-3, all.levels_mm);
  for (int side = 0; side < 4; ++side) {
    const int across = side / 2, along = 1 - across;
    const double sign = side % 2 ? 1 : -1, inwards = std::min(cell_mm, half[across]);
    const bool is_long = 2 * half[along] >= long_side_cells * cell_mm;
    for (int k = 0; k < (is_long ? 2 : 1); ++k) {
      Eigen::Vector2d in = Eigen::Vector2d::Zero(), out = in;
      in[across] = sign * (half[across] - inwards);
      out[across] = sign * (half[across] + cell_mm);
      in[along] = out[along] = is_long ? (k - 0.5) * half[along] : 0;
      const SearchPair p{c.body.centre_mm + axes * in, c.body.centre_mm + axes * out, level, all.bodies};
      if (others.free_at(own, p.out_mm)) all.pairs.push_back(p);
    }
  }
  if (all.pairs.size() > before) ++all.bodies;
}

}  // namespace

bool stands_up(const Component& component, double lowest_mm) {
  return component.nominal_height_um * 1e-3 >= lowest_mm &&
         std::none_of(component.checks.begin(), component.checks.end(), [](const Check& c) {
           return c.characteristic == Characteristic::presence && c.upper && !c.lower;
         });
}

Eigen::Matrix2d axes_of(const BoardRect& rect) { return rotation_by_deg(rect.rotation_deg); }

double search_cell_mm(const Recipe& recipe, double lowest_mm, std::size_t most_bodies) {
  std::vector<double> sides;
  for (const std::size_t i : largest_first(recipe, lowest_mm))
    if (sides.size() < most_bodies) sides.push_back(recipe.components[i].body.size_mm.minCoeff());
  if (sides.empty()) return 0;
  const auto quartile = sides.begin() + std::ptrdiff_t(sides.size() / 4);
  std::nth_element(sides.begin(), quartile, sides.end());
  return std::min(0.4 * *quartile, recipe.board_size_mm.maxCoeff() / 120);
}

SearchPairs search_pairs(const Recipe& recipe, double cell_mm, double lowest_mm, std::size_t most_bodies) {
  SearchPairs s;
  const FreePlaces others(recipe, cell_mm / 2);
  for (const std::size_t i : largest_first(recipe, lowest_mm)) {
    if (s.bodies == most_bodies) break;
    add_pairs(recipe.components[i], i, others, cell_mm, s);
  }
  const Eigen::Vector2d middle = recipe.board_size_mm / 2;
  for (const SearchPair& p : s.pairs) s.arm_mm = std::max(s.arm_mm, (p.in_mm - middle).norm());
  return s;
}

}  // namespace datum
