#include "daemon/inspection/registration/search_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "daemon/inspection/registration/plane_motion.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr double level_step = 1.15;
constexpr double long_side_cells = 12;  // from here on a side has two pairs

bool inside(const BoardRect& rect, const Eigen::Vector2d& at, double margin_mm) {
  const Eigen::Vector2d d = (axes_of(rect).transpose() * (at - rect.centre_mm)).cwiseAbs();
  return d.x() <= rect.size_mm.x() / 2 + margin_mm && d.y() <= rect.size_mm.y() / 2 + margin_mm;
}

/// Whether a place is free of bodies other than one's own. Borrows the recipe.
class FreePlaces {
 public:
  FreePlaces(const Recipe& recipe, double margin_mm) : margin_mm_(margin_mm) {
    for (const Component& c : recipe.components) {
      const double reach = c.body.size_mm.norm() / 2 + 2 * margin_mm;
      bodies_.push_back({c.body, reach * reach});
    }
  }
  bool free_at(std::size_t own, const Eigen::Vector2d& at) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto& [body, reach2_mm2] = bodies_[i];
      if (i != own && (at - body.centre_mm).squaredNorm() <= reach2_mm2 && inside(body, at, margin_mm_))
        return false;
    }
    return true;
  }

 private:
  struct Body {
    const BoardRect& rect;
    double reach2_mm2;
  };
  double margin_mm_;
  std::vector<Body> bodies_;
};

std::vector<std::size_t> largest_first(const Recipe& recipe, double lowest_mm) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < recipe.components.size(); ++i)
    if (stands_up(recipe.components[i], lowest_mm)) order.push_back(i);
  const auto area = [&](std::size_t i) { return recipe.components[i].body.size_mm.prod(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return area(a) > area(b); });
  return order;
}

std::size_t level_of(double height_mm, std::vector<double>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (height_mm <= levels[i] * level_step && levels[i] <= height_mm * level_step) return i;
  levels.push_back(height_mm);
  return levels.size() - 1;
}

/// On either side of the body's edges where no other body lies: at most two on a side. Their level and number are not set.
std::vector<SearchPair> pairs_of(const Component& c, std::size_t own, const FreePlaces& others,
                                 double cell_mm) {
  std::vector<SearchPair> pairs;
  const Eigen::Matrix2d axes = axes_of(c.body);
  const Eigen::Vector2d half = c.body.size_mm / 2;
  for (int side = 0; side < 4; ++side) {
    const int across = side / 2, along = 1 - across;
    const double sign = side % 2 ? 1 : -1, inwards = std::min(cell_mm, half[across]);
    const bool is_long = 2 * half[along] >= long_side_cells * cell_mm;
    for (int k = 0; k < (is_long ? 2 : 1); ++k) {
      Eigen::Vector2d in = Eigen::Vector2d::Zero(), out = in;
      in[across] = sign * (half[across] - inwards);
      out[across] = sign * (half[across] + cell_mm);
      in[along] = out[along] = is_long ? (k - 0.5) * half[along] : 0;
      const SearchPair p{c.body.centre_mm + axes * in, c.body.centre_mm + axes * out, 0, 0};
      if (others.free_at(own, p.out_mm)) pairs.push_back(p);
    }
  }
  return pairs;
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

SearchPairs search_pairs(const Recipe& recipe, double cell_mm, double lowest_mm, std::size_t most_bodies,
                         unsigned threads) {
  SearchPairs s;
  const Eigen::Vector2d middle = recipe.board_size_mm / 2;
  const FreePlaces others(recipe, cell_mm / 2);
  const std::vector<std::size_t> order = largest_first(recipe, lowest_mm);
  std::vector<std::vector<SearchPair>> found(std::min(order.size(), most_bodies));
  const auto find = [&](std::size_t k) {
    return pairs_of(recipe.components[order[k]], order[k], others, cell_mm);
  };
  parallel_for(threads, found.size(), [&](std::size_t k, unsigned) { found[k] = find(k); });
  for (std::size_t k = 0; k < order.size() && s.bodies < most_bodies; ++k) {
    std::vector<SearchPair> pairs = k < found.size() ? std::move(found[k]) : find(k);
    const std::size_t level = level_of(recipe.components[order[k]].nominal_height_um * 1e-3, s.levels_mm);
    for (SearchPair& p : pairs) {
      p.level = level;
      p.body = s.bodies;
      s.arm_mm = std::max(s.arm_mm, (p.in_mm - middle).norm());
      s.pairs.push_back(p);
    }
    if (!pairs.empty()) ++s.bodies;
  }
  return s;
}

}  // namespace datum
