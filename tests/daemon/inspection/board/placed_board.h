// A board of five parts that lies shifted and turned about its middle, and a recipe that looks for it at the frame's origin.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::testing {

/// Five parts of which none looks like another one turned.
inline std::vector<Component> five_parts() {
  return {box("U1", 3, 4, 0, 400), box("U2", 8.5, 4, 30, 600), box("U3", 5.8, 1.6, 90, 500),
          box("U4", 9.6, 1.4, 0, 450), box("U5", 2, 6.6, 75, 550)};
}

/// `seen`: the parts that the frame shows; the recipe expects five_parts().
inline Scene placed_board(double x_mm, double y_mm, double turn_deg, std::vector<Component> seen) {
  Scene s = make_scene();
  s.recipe.components = std::move(seen);
  const Eigen::Vector3d middle(6, 4, 0);
  s.sensor_from_board = Eigen::Translation3d(middle + Eigen::Vector3d(x_mm, y_mm, 0)) *
                        Eigen::AngleAxisd(turn_deg * M_PI / 180, Eigen::Vector3d::UnitZ()) *
                        Eigen::Translation3d(-middle);
  render(s);
  s.recipe.components = five_parts();
  AlignmentRecipe a;
  a.max_shift_mm = 1;
  a.max_rotation_deg = 3;
  a.min_ratio = 1.25;
  s.recipe.alignment = std::make_shared<AlignmentRecipe>(a);
  return s;
}

/// The scene with another alignment: change(AlignmentRecipe&).
template <class Change>
Scene with(Scene s, Change change) {
  AlignmentRecipe a = *s.recipe.alignment;
  change(a);
  s.recipe.alignment = std::make_shared<AlignmentRecipe>(a);
  return s;
}

/// Of the registration; NaN: it states no such number.
inline double number(const BoardVerdict& v, const std::string& name) {
  for (const auto& [key, value] : v.stages.at(0).health)
    if (key == name) return value;
  return std::nan("");
}

inline std::string warnings(const BoardVerdict& v) {
  std::string all;
  for (const std::string& w : v.stages.at(0).warnings) all += w + "\n";
  return all;
}

}  // namespace datum::testing
