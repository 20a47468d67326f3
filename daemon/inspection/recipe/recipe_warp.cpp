#include <algorithm>
#include <cmath>
#include <numbers>

#include "calib/warp/knot_check.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/recipe/recipe_doubt.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {
namespace {

Eigen::Vector2d pair(config::TomlTable& table, const char* key, config::Range range = {}) {
  return Eigen::Map<const Eigen::Vector2d>(table.numbers(key, 2, range).data());
}

/// Adds columns x rows square patches that span a rectangle from border to border.
void add_patches(config::TomlTable& table, std::size_t number, const Recipe& recipe, WarpRecipe& warp) {
  table.only_keys({"centre_mm", "size_mm", "rotation_deg", "columns", "rows"});
  BoardRect area;
  area.centre_mm = pair(table, "centre_mm");
  area.size_mm = pair(table, "size_mm", config::positive);
  area.rotation_deg = table.number_or("rotation_deg", 0, {-360, 360});
  const std::int64_t columns = table.integer_or("columns", 1, 1, 1024),
                     rows = table.integer_or("rows", 1, 1, 1024);
  constexpr double slack_mm = 1e-6;
  if ((area.size_mm.array() < warp.patch_mm - slack_mm).any())
    table.refuse("size_mm", "has no room for a patch",
                 "at least warp.patch_mm (" + config::shown(warp.patch_mm) + ") both ways");
  for (const Eigen::Vector2d& corner : corners_mm(area)) {
    if (corner.minCoeff() < -slack_mm || ((corner - recipe.board_size_mm).array() > slack_mm).any())
      table.refuse("centre_mm",
                   "the bare area reaches [" + config::shown(corner.x()) + ", " + config::shown(corner.y()) +
                       "] mm, outside the board",
                   "a part of the board");
  }
  const Eigen::Vector2d room = area.size_mm - Eigen::Vector2d::Constant(warp.patch_mm);
  const double turn = area.rotation_deg * std::numbers::pi / 180;
  const auto along = [](std::int64_t i, std::int64_t n) {
    return n == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(n - 1) - 0.5;
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const Eigen::Vector2d p(room.x() * along(column, columns), room.y() * along(row, rows));
      Component patch;
      patch.reference = warp.row.reference + ":bare" + std::to_string(number) + "/" +
                        std::to_string(column + 1) + "." + std::to_string(row + 1);
      patch.body.centre_mm =
          area.centre_mm + Eigen::Vector2d(std::cos(turn) * p.x() - std::sin(turn) * p.y(),
                                           std::sin(turn) * p.x() + std::cos(turn) * p.y());
      patch.body.rotation_deg = area.rotation_deg;
      warp.patches.push_back(patch);
    }
  }
  table.finish();
  if (warp.patches.size() > most_warp_knots / 2)
    table.refuse("columns", std::to_string(warp.patches.size()) + " patches in all",
                 "at most " + std::to_string(most_warp_knots / 2));
}

}  // namespace

void read_warp(config::TomlTable table, Recipe& recipe, config::Problems& problems) {
  table.only_keys({"reference", "margin_mm", "patch_mm", "min_knots", "max_gap_mm",
                   "max_curvature_um_per_mm2", "check", "bare"});
  auto warp = std::make_shared<WarpRecipe>();
  warp->row.reference = table.has("reference") ? read_name(table, "reference") : "BOARD";
  warp->row.package = "warp";
  const double most_margin_mm = std::max(0.0, 0.4 * recipe.board_size_mm.minCoeff());
  warp->margin_mm = table.number_or("margin_mm", warp->margin_mm, {0, most_margin_mm});
  warp->patch_mm = table.number_or("patch_mm", warp->patch_mm, config::positive);
  warp->min_knots =
      static_cast<int>(table.integer_or("min_knots", warp->min_knots, least_warp_knots, most_warp_knots));
  warp->max_gap_mm = table.number_or("max_gap_mm", warp->max_gap_mm, config::positive);
  warp->max_curvature_um_per_mm2 =
      table.number_or("max_curvature_um_per_mm2", warp->max_curvature_um_per_mm2, {0, 1000});
  std::vector<config::TomlTable> checks = table.tables("check");
  if (checks.empty()) table.refuse("check", "missing", "at least one [[warp.check]]");
  for (config::TomlTable& check : checks) {
    problems.attempt([&] {
      const Demand demand = read_warp_demand(check);
      warp->row.checks.push_back(resolve(demand, std::nullopt, std::nullopt, check));
      doubt_check(check, demand, problems);
      check.finish();
    });
  }
  std::size_t number = 0;
  for (config::TomlTable& bare : table.tables("bare"))
    problems.attempt([&] { add_patches(bare, ++number, recipe, *warp); });
  recipe.warp = std::move(warp);
  table.finish();
}

std::size_t site_count(const Recipe& recipe) {
  return recipe.components.size() + (recipe.warp ? recipe.warp->patches.size() : 0);
}

const Component& site_component(const Recipe& recipe, std::size_t site) {
  return site < recipe.components.size() ? recipe.components[site]
                                         : recipe.warp->patches[site - recipe.components.size()];
}

std::vector<const Component*> verdict_rows(const Recipe& recipe) {
  std::vector<const Component*> rows;
  if (recipe.panel) {
    for (const Recipe& board : recipe.panel->boards)
      for (const Component* row : verdict_rows(board)) rows.push_back(row);
    return rows;
  }
  for (const Component& c : recipe.components) rows.push_back(&c);
  if (recipe.warp) rows.push_back(&recipe.warp->row);
  if (recipe.defects && recipe.defects->foreign) rows.push_back(&recipe.defects->foreign->row);
  return rows;
}

BoardRect warp_outline(const Recipe& recipe) {
  return {recipe.board_size_mm / 2,
          recipe.board_size_mm - Eigen::Vector2d::Constant(2 * recipe.warp->margin_mm), 0};
}

}  // namespace datum
