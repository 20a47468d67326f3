// [alignment] of a board's recipe.
#include <algorithm>
#include <cmath>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {
namespace {

constexpr double most_cells = 1024, usual_cells = 256;

/// The window is 1 on three quarters of the map.
Eigen::Vector2d extent_mm(const Recipe& recipe, const AlignmentRecipe& a) {
  return (recipe.board_size_mm.array() + 2 * a.max_shift_mm) * 4 / 3;
}

double cell_of(const Recipe& recipe, const AlignmentRecipe& a) {
  return a.cell_mm > 0 ? a.cell_mm : extent_mm(recipe, a).maxCoeff() / usual_cells;
}

std::uint32_t cells(double extent_mm, double cell_mm) {
  std::uint32_t n = 16;
  while (n * cell_mm < extent_mm * (1 - 1e-9)) n *= 2;
  return n;
}

}  // namespace

AlignmentGrid alignment_grid(const Recipe& recipe) {
  const AlignmentRecipe& a = *recipe.alignment;
  const Eigen::Vector2d extent = extent_mm(recipe, a);
  AlignmentGrid g;
  g.cell_mm = cell_of(recipe, a);
  g.cols = cells(extent.x(), g.cell_mm);
  g.rows = cells(extent.y(), g.cell_mm);
  g.origin_mm = recipe.board_size_mm / 2 - Eigen::Vector2d(g.cols, g.rows) * (g.cell_mm / 2);
  return g;
}

double alignment_height_um(const Recipe& recipe) {
  if (recipe.alignment->min_height_um > 0) return recipe.alignment->min_height_um;
  double lowest = recipe.components.front().nominal_height_um;
  for (const Component& c : recipe.components) lowest = std::min(lowest, c.nominal_height_um);
  return lowest / 2;
}

void read_board_alignment(config::TomlTable table, Recipe& recipe, bool complete) {
  table.only_keys({"max_shift_mm", "min_ratio", "cell_mm", "min_height_um"});
  AlignmentRecipe a;
  a.max_shift_mm = table.number("max_shift_mm", config::positive);
  a.min_ratio = table.number_or("min_ratio", a.min_ratio, {1, 100});
  a.cell_mm = table.number_if("cell_mm", config::positive).value_or(0);
  a.min_height_um = table.number_if("min_height_um", config::positive).value_or(0);
  if (!recipe.board_size_mm.allFinite()) return table.finish();  // [board] is already refused
  const double cell = cell_of(recipe, a);
  if (!(extent_mm(recipe, a).maxCoeff() <= most_cells * cell))
    table.refuse("cell_mm", config::shown(cell) + " makes more than 1024 cells of the board and its shift",
                 "at least " + config::shown(extent_mm(recipe, a).maxCoeff() / most_cells));
  if (a.max_shift_mm < 2 * cell)
    table.refuse("max_shift_mm", config::shown(a.max_shift_mm) + " is less than two cells",
                 "at least " + config::shown(2 * cell) + ", or smaller cells by cell_mm");
  double highest = 0;
  for (const Component& c : recipe.components) highest = std::max(highest, c.nominal_height_um);
  if (complete && !recipe.components.empty() && !(a.min_height_um < highest))
    table.refuse("min_height_um",
                 config::shown(a.min_height_um) + " is above every component: none would be seen",
                 "less than " + config::shown(highest));
  table.finish();
  recipe.alignment = std::make_shared<AlignmentRecipe>(a);
}

}  // namespace datum
