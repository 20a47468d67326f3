// [alignment] of a board's recipe.
#include <algorithm>
#include <cmath>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {
namespace {

constexpr double most_cells = 1024, usual_cells = 256;
constexpr double most_rotation_deg =
    10;  // beyond, quarter turns and what lies between them are no longer told apart
constexpr double most_stretch_ppm = 5000;  // a wrong pixel pitch is not allowed to pass as a stretched board

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

/// A scale or a shear that the recipe allows is estimated; its limit must be stated.
void read_model(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a) {
  a.model = table.choice_or<BoardModel>(
      "model", a.model,
      {{"rigid", BoardModel::rigid}, {"similarity", BoardModel::similarity}, {"affine", BoardModel::affine}});
  const auto limit = [&](const char* key, bool estimated, const char* models) {
    if (estimated) return table.number(key, {1, most_stretch_ppm});
    if (table.has(key))
      table.refuse(
          key, std::string("limits what alignment.model = \"") + name_of(a.model) + "\" does not estimate",
          std::string("model = ") + models + " beside it, or leave it out");
    return 0.0;
  };
  a.max_scale_ppm = limit("max_scale_ppm", a.model != BoardModel::rigid, "\"similarity\" or \"affine\"");
  a.max_shear_urad = limit("max_shear_urad", a.model == BoardModel::affine, "\"affine\"");
  if (a.model == BoardModel::rigid) return;
  if (!recipe.snapshots.poses.empty())
    table.refuse("model",
                 std::string("\"") + name_of(a.model) +
                     "\" beside [snapshots]: a stretch is estimated by the parts of one board in one frame",
                 "\"rigid\", or leave [snapshots] out");
}

/// The keys of a registration; they mean nothing without max_rotation_deg, nor cell_mm with it.
void read_registration(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a) {
  a.max_rotation_deg = table.number_if("max_rotation_deg", {0.1, most_rotation_deg});
  if (!a.max_rotation_deg) {
    for (const char* key : {"min_share", "min_parts", "max_residual_um", "search_turned", "model",
                            "max_scale_ppm", "max_shear_urad"})
      if (table.has(key))
        table.refuse(key, "belongs to a registration with rotation",
                     "max_rotation_deg beside it, or leave it out");
    return;
  }
  if (!table.has("min_ratio")) a.min_ratio = 1.25;
  if (table.has("cell_mm"))
    table.refuse("cell_mm", "belongs to the correlation that finds a shift alone",
                 "leave it out beside max_rotation_deg");
  a.min_share = table.number_or("min_share", a.min_share, {0.3, 1});
  a.min_parts = static_cast<int>(table.integer_or("min_parts", a.min_parts, 2, 1000));
  a.search_turned = table.boolean_or("search_turned", a.search_turned);
  a.max_residual_um = table.number_or("max_residual_um", a.max_residual_um, config::positive);
  read_model(table, recipe, a);
}

/// What all parts are displaced by against the artwork matters beside what is placed by the artwork.
void read_parts_offset(config::TomlTable& table, AlignmentRecipe& a) {
  const bool alone = a.fiducials.empty() && a.holes.empty() && a.edges.empty();
  if (alone && table.has("parts_offset_um"))
    table.refuse("parts_offset_um", "belongs to fiducials, holes or an outline",
                 "[[alignment.fiducial]], [[alignment.hole]] or outline beside it, or leave it out");
  a.parts_offset_um = table.number_or("parts_offset_um", a.parts_offset_um, {0, 1000});
}

void refuse_unseen(config::TomlTable& table, const Recipe& recipe, const AlignmentRecipe& a, bool complete) {
  double highest = 0;
  for (const Component& c : recipe.components) highest = std::max(highest, c.nominal_height_um);
  if (complete && !recipe.components.empty() && !(a.min_height_um < highest))
    table.refuse("min_height_um",
                 config::shown(a.min_height_um) + " is above every component: none would be seen",
                 "less than " + config::shown(highest));
}

void keep(config::TomlTable& table, Recipe& recipe, const AlignmentRecipe& a) {
  table.finish();
  recipe.alignment = std::make_shared<AlignmentRecipe>(a);
}

}  // namespace

const char* name_of(BoardModel model) {
  switch (model) {
    case BoardModel::rigid:
      return "rigid";
    case BoardModel::similarity:
      return "similarity";
    case BoardModel::affine:
      return "affine";
  }
  return "";
}

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
  table.only_keys({"max_shift_mm",
                   "min_ratio",
                   "cell_mm",
                   "min_height_um",
                   "max_rotation_deg",
                   "min_share",
                   "min_parts",
                   "max_residual_um",
                   "search_turned",
                   "fiducial",
                   "min_fiducials",
                   "fiducial_search_mm",
                   "parts_offset_um",
                   "model",
                   "max_scale_ppm",
                   "max_shear_urad",
                   "hole",
                   "edge",
                   "outline",
                   "min_holes",
                   "min_edges",
                   "holes_offset_um",
                   "edges_offset_um"});
  AlignmentRecipe a;
  a.max_shift_mm = table.number("max_shift_mm", config::positive);
  a.min_ratio = table.number_or("min_ratio", a.min_ratio, {1, 100});
  a.cell_mm = table.number_if("cell_mm", config::positive).value_or(0);
  a.min_height_um = table.number_if("min_height_um", config::positive).value_or(0);
  read_registration(table, recipe, a);
  if (!recipe.board_size_mm.allFinite()) return table.finish();  // [board] is already refused
  read_fiducials(table, recipe, a);
  read_mechanical(table, recipe, a);
  read_parts_offset(table, a);
  if (a.max_rotation_deg) refuse_unseen(table, recipe, a, complete);
  if (a.max_rotation_deg) return keep(table, recipe, a);
  const double cell = cell_of(recipe, a);
  if (!(extent_mm(recipe, a).maxCoeff() <= most_cells * cell))
    table.refuse("cell_mm", config::shown(cell) + " makes more than 1024 cells of the board and its shift",
                 "at least " + config::shown(extent_mm(recipe, a).maxCoeff() / most_cells));
  if (a.max_shift_mm < 2 * cell)
    table.refuse("max_shift_mm", config::shown(a.max_shift_mm) + " is less than two cells",
                 "at least " + config::shown(2 * cell) + ", or smaller cells by cell_mm");
  refuse_unseen(table, recipe, a, complete);
  keep(table, recipe, a);
}

}  // namespace datum
