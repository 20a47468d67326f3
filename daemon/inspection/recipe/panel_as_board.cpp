#include <cmath>
#include <numbers>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/panel_recipe.h"

namespace datum {
namespace {

/// A motion in the plane, of rectangles and circles.
struct Moved {
  Eigen::Matrix4d motion;
  Eigen::Vector2d operator()(const Eigen::Vector2d& p) const {
    return (motion * Eigen::Vector4d(p.x(), p.y(), 0, 1)).head<2>();
  }
  BoardRect operator()(const BoardRect& rect) const {
    const double turn_deg = std::atan2(motion(1, 0), motion(0, 0)) * 180 / std::numbers::pi;
    return {(*this)(rect.centre_mm), rect.size_mm, rect.rotation_deg + turn_deg};
  }
};

}  // namespace

Recipe panel_as_board(const Recipe& recipe, const std::vector<Htm<Board, Board>>& lies,
                      const std::vector<bool>& skipped) {
  const PanelRecipe& panel = *recipe.panel;
  Recipe whole = recipe;
  whole.panel = nullptr;
  whole.alignment = nullptr;
  whole.warp = nullptr;
  whole.defects = nullptr;
  whole.board_size_mm = panel.size_mm;
  whole.components.clear();
  whole.exclusions.clear();
  whole.holes.clear();
  for (std::size_t i = 0; i < panel.boards.size(); ++i) {
    if (i < skipped.size() && skipped[i]) continue;
    Eigen::Matrix4d motion = panel_from_board(panel.places[i]).matrix();
    if (i < lies.size()) motion = motion * lies[i].matrix();
    const Moved moved{motion};
    for (Component c : panel.boards[i].components) {
      c.body = moved(c.body);
      if (c.floor_outline) c.floor_outline = moved(*c.floor_outline);
      whole.components.push_back(std::move(c));
    }
    for (const BoardRect& rect : recipe.exclusions) whole.exclusions.push_back(moved(rect));
    for (const BoardCircle& hole : recipe.holes)
      whole.holes.push_back({moved(hole.centre_mm), hole.diameter_mm});
  }
  return whole;
}

}  // namespace datum
