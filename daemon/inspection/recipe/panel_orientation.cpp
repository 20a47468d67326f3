#include "daemon/inspection/recipe/panel_orientation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/recipe_overlap.h"

namespace datum {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double covers = 1 - 1e-6;  // share of a body: rounding of rotated corners

/// Heights in um that all checks of a component's height may accept.
struct Heights {
  double lower = -unlimited, upper = unlimited;
};

Heights accepted(const Component& c) {
  Heights h;
  for (const Check& check : c.checks) {
    if (check.characteristic > Characteristic::top_mean) continue;
    h.lower = std::max(h.lower, check.lower.value_or(-unlimited));
    h.upper = std::min(h.upper, check.upper.value_or(unlimited));
  }
  return h;
}

BoardRect turned(const PanelRecipe& panel, const BoardRect& rect) {
  return {panel.size_mm - rect.centre_mm, rect.size_mm, rect.rotation_deg};  // a body looks the same turned
}

double radius_mm(const BoardRect& rect) { return rect.size_mm.norm() / 2; }

bool may_touch(const BoardRect& a, const BoardRect& b) {
  return (a.centre_mm - b.centre_mm).norm() < radius_mm(a) + radius_mm(b);
}

bool shows_the_turn(const Component& c, const BoardRect& at, const Recipe& recipe, const PanelRecipe& panel,
                    const std::vector<const PanelPlace*>& there) {
  const Heights own = accepted(c);
  std::size_t touching = 0;
  bool differs = false;
  for (const PanelPlace* place : there)
    for (const Component& other : recipe.components) {
      const BoardRect body = turned(panel, on_panel(*place, other.body));
      if (!may_touch(at, body)) continue;
      const double shared = shared_area_mm2(at, body);
      if (shared <= 0) continue;
      ++touching;
      const Heights its = accepted(other);
      differs = shared >= covers * at.size_mm.prod() && (its.upper < own.lower || its.lower > own.upper);
    }
  return touching == 0 ? own.lower >= c.nominal_height_um / 2 && own.lower > 0 : touching == 1 && differs;
}

BoardRect outline_of(const Recipe& recipe, const PanelPlace& place) {
  return on_panel(place, {recipe.board_size_mm / 2, recipe.board_size_mm, 0});
}

/// The board of another place lies there as designed, within what an alignment follows.
bool lies_as_designed(const Recipe& recipe, const PanelRecipe& panel, const PanelPlace& place,
                      const PanelPlace& other) {
  const double turn_deg = std::remainder(other.rotation_deg + 180 - place.rotation_deg, 360);
  const Eigen::Vector2d off = panel.size_mm - other.origin_mm - place.origin_mm;
  return std::abs(turn_deg) <= *recipe.alignment->max_rotation_deg &&
         off.cwiseAbs().maxCoeff() <= recipe.alignment->max_shift_mm;
}

}  // namespace

std::string turned_unnoticed(const Recipe& recipe, const PanelRecipe& panel) {
  for (const PanelPlace& place : panel.places) {
    const BoardRect outline = outline_of(recipe, place);
    std::vector<const PanelPlace*> there;  // whose boards come to lie there
    for (const PanelPlace& other : panel.places) {
      const BoardRect moved = turned(panel, outline_of(recipe, other));
      if (may_touch(outline, moved) && shared_area_mm2(outline, moved) > 0) there.push_back(&other);
    }
    const bool noticed =
        recipe.alignment
            ? std::none_of(
                  there.begin(), there.end(),
                  [&](const PanelPlace* other) { return lies_as_designed(recipe, panel, place, *other); })
            : std::any_of(recipe.components.begin(), recipe.components.end(), [&](const Component& c) {
                return shows_the_turn(c, on_panel(place, c.body), recipe, panel, there);
              });
    if (noticed) continue;
    return "turned by 180 degrees the panel shows board " + (there.empty() ? place.name : there[0]->name) +
           " at place " + place.name +
           ", and nothing tells it from the board that belongs there: serial "
           "numbers, bad boards and verdicts would be those of other boards";
  }
  return "";
}

std::string turned_unnoticed(const Recipe& recipe) {
  PanelRecipe alone;
  alone.size_mm = recipe.board_size_mm;
  alone.places.push_back({"", Eigen::Vector2d::Zero(), 0});
  const std::vector<const PanelPlace*> there{&alone.places.front()};
  std::string exchanged;
  for (const Component& c : recipe.components) {
    if (shows_the_turn(c, c.body, recipe, alone, there)) return "";
    for (const Component& other : recipe.components)
      if (exchanged.empty() && &other != &c && shared_area_mm2(c.body, turned(alone, other.body)) > 0)
        exchanged = other.reference + " would be measured as " + c.reference;
  }
  return exchanged;
}

}  // namespace datum
