#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "daemon/inspection/board/board_warp.h"
#include "daemon/inspection/board/warp_recipe.h"

namespace datum {
namespace {

double outside_mm(const WarpArea& area, const Eigen::Vector2d& at) {
  const double c = std::cos(area.rotation_rad), s = std::sin(area.rotation_rad);
  const Eigen::Vector2d d = at - area.centre_mm;
  const Eigen::Vector2d own(c * d.x() + s * d.y(), c * d.y() - s * d.x());
  return (own.cwiseAbs() - area.size_mm / 2).cwiseMax(0).norm();
}

}  // namespace

WarpArea ring_area(const Recipe& recipe, const Component& component, bool middle) {
  const BoardRect& outline = component.floor_outline ? *component.floor_outline : component.body;
  const double out_mm =
      middle ? recipe.floor.inner_margin_mm + recipe.floor.outer_margin_mm : 2 * recipe.floor.outer_margin_mm;
  return {outline.centre_mm, outline.size_mm + Eigen::Vector2d::Constant(out_mm),
          outline.rotation_deg * std::numbers::pi / 180};
}

double BoardWarp::gap_mm(const Eigen::Vector2d& at_mm) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const WarpArea& area : seen) nearest = std::min(nearest, outside_mm(area, at_mm));
  return nearest;
}

WarpGapEvidence BoardWarp::largest_gap(const std::vector<Eigen::Vector2d>& places_mm) const {
  WarpGapEvidence largest;
  for (const Eigen::Vector2d& at : places_mm) {
    const double gap = gap_mm(at);
    if (gap > largest.mm) largest = {gap, {at.x(), at.y()}};
  }
  return largest;
}

std::optional<WarpOffEvidence> farthest_off(const BoardWarp& warp,
                                            const std::vector<Eigen::Vector2d>& places_mm, double reach_mm) {
  std::optional<WarpOffEvidence> farthest;
  for (const Eigen::Vector2d& at : places_mm)
    if (const auto off = warp.bare.farthest(at, reach_mm);
        off && (!farthest || std::abs(off->um) > std::abs(farthest->um)))
      farthest = off;
  return farthest;
}

HalfWidth hidden_um(const Recipe& recipe, const BoardWarp& warp) {
  return [&warp, curvature = recipe.warp->max_curvature_um_per_mm2](const Eigen::Vector2d& at) {
    const double gap = warp.gap_mm(at);
    return curvature * gap * gap / 2;
  };
}

std::string too_far(const Recipe& recipe, const WarpGapEvidence& gap) {
  if (gap.mm <= recipe.warp->max_gap_mm) return "";
  return fmt::format(
      "[{:.2f}, {:.2f}] mm lies {:.2f} mm from the nearest place where the board was seen, warp.max_gap_mm "
      "allows {:g}; look at bare board nearer ([[warp.bare]])",
      gap.at_mm[0], gap.at_mm[1], gap.mm, recipe.warp->max_gap_mm);
}

}  // namespace datum
