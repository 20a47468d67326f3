// [defects] of a board's recipe.
#include <algorithm>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {
namespace {

ForeignRecipe read_foreign(config::TomlTable table, const Recipe& recipe) {
  table.only_keys({"reference", "min_size_mm", "min_height_um"});
  ForeignRecipe f;
  f.row.reference = table.has("reference") ? read_name(table, "reference") : "FOREIGN";
  f.row.package = foreign_package;
  f.min_size_mm = table.number_or("min_size_mm", f.min_size_mm, {0.05, 100});
  Check check;
  check.characteristic = Characteristic::foreign_height;
  check.upper = table.number_or("min_height_um", 300, {20, 10'000});
  check.expected = 0;
  f.row.checks = {check};
  for (const Component* row : verdict_rows(recipe))
    if (row->reference == f.row.reference)
      table.refuse("reference", "'" + f.row.reference + "' is the reference of a component or of the board",
                   "a reference of its own");
  table.finish();
  return f;
}

}  // namespace

bool must_be_empty(const Component& component) {
  return std::any_of(component.checks.begin(), component.checks.end(), [](const Check& check) {
    return check.characteristic == Characteristic::presence && check.upper && !check.lower;
  });
}

void read_defects(config::TomlTable table, Recipe& recipe) {
  table.only_keys({"max_shift_mm", "max_rotation_deg", "max_lift_um", "max_height_share", "beside_pass",
                   "foreign_objects"});
  DefectRecipe d;
  d.max_shift_mm = table.number_if("max_shift_mm", config::positive);
  d.max_rotation_deg = table.number_if("max_rotation_deg", {0.1, 45});
  d.max_lift_um = table.number_or("max_lift_um", d.max_lift_um, {1, 10'000});
  d.max_height_share = table.number_or("max_height_share", d.max_height_share, {0.01, 0.7});
  d.beside_pass_invalid =
      table.choice_or<bool>("beside_pass", d.beside_pass_invalid, {{"invalid", true}, {"pass", false}});
  if (auto foreign = table.table_if("foreign_objects")) d.foreign = read_foreign(std::move(*foreign), recipe);
  recipe.defects = std::make_shared<DefectRecipe>(std::move(d));
  table.finish();
}

}  // namespace datum
