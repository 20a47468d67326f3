// A board that is bowed and twisted, and the recipe that looks at it.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "daemon/inspection/board/warp_recipe.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::testing {

/// Of the board of 12 x 8 mm: 20 um of bow along x, corners that rise and fall by 15 um.
constexpr double bow_um = 20, twist_um = 15;
inline double form_um(double x, double y) {
  const double u = x / 6 - 1, v = y / 4 - 1;
  return bow_um * (1 - u * u) + twist_um * u * v;
}
constexpr double true_bow_percent = 100 * bow_um * 1e-3 / 12;
inline const double true_twist_percent = 100 * 4 * twist_um * 1e-3 / (2 * std::hypot(12, 8));

inline Check upper(Characteristic c, double limit) {
  Check check;
  check.characteristic = c;
  check.upper = limit;
  return check;
}

/// Patches of 0.8 mm: seven along the lower and the upper edge, three along the sides and between the components.
inline std::shared_ptr<WarpRecipe> make_warp() {
  auto warp = std::make_shared<WarpRecipe>();
  warp->row.reference = "BOARD";
  warp->row.package = "warp";
  warp->row.checks = {upper(Characteristic::bow, 0.75), upper(Characteristic::twist, 0.75),
                      upper(Characteristic::peak_to_valley, 200), upper(Characteristic::convexity, 100)};
  warp->patch_mm = 0.8;
  const auto add = [&](double x, double y) {
    Component patch;
    patch.reference = "P" + std::to_string(warp->patches.size());
    patch.body.centre_mm = {x, y};
    warp->patches.push_back(patch);
  };
  for (const double y : {0.4, 7.6})
    for (int i = 0; i < 7; ++i) add(0.4 + i * 11.2 / 6, y);
  for (const double x : {0.4, 5.8, 11.6})
    for (const double y : {2.2, 4.0, 5.8}) add(x, y);
  return warp;
}

/// A part follows the board under it.
inline void bend(Scene& s, double factor = 1) {
  change_pixels(s, 0, 0, 12, 8, [&](int row, int col, std::int16_t& count, PixelClass&) {
    count = static_cast<std::int16_t>(
        count + std::lround(factor * form_um(s.frame.x.at(col), s.frame.y.at(row)) / 0.5));
  });
}

inline Scene bent_scene(double factor = 1) {
  Scene s = make_scene();
  s.recipe.floor.form = FloorForm::quadratic;
  s.recipe.warp = make_warp();
  render(s);
  bend(s, factor);
  return s;
}

}  // namespace datum::testing
