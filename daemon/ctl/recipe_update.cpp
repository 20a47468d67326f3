#include "daemon/ctl/recipe_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/toml_document.h"
#include "config/toml_reader.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/design/recipe_text.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/system/durable_file.h"
#include "daemon/teach/design_change.h"

namespace datum {
namespace {

/// What the recipe itself says of its import.
ImportOptions import_of(const UpdateOptions& o, const Recipe& recipe) {
  ImportOptions import = o.import;
  import.name = recipe.name;
  if (import.sensor.empty()) import.serial = recipe.sensor_serial;
  import.ring_mm = {recipe.floor.inner_margin_mm, recipe.floor.outer_margin_mm};
  const bool on_warp = std::any_of(recipe.components.begin(), recipe.components.end(),
                                   [](const Component& c) { return c.warp_fallback; });
  if (on_warp) import.fallback = "warp";
  // A presence with an upper limit alone is of a place that must be empty.
  const bool empty_places =
      std::any_of(recipe.components.begin(), recipe.components.end(), [](const Component& c) {
        return std::any_of(c.checks.begin(), c.checks.end(), [](const Check& check) {
          return check.characteristic == Characteristic::presence && !check.lower;
        });
      });
  if (empty_places) import.not_populated = "empty";
  return import;
}

std::map<std::string, std::string> gone_from(const ImportedRecipe& now, const std::string& side) {
  std::map<std::string, std::string> gone;
  for (const design::Component& c : now.read.design.components)
    if (name_of(c.side) != side)
      gone[design::recipe_name(c.reference)] = fmt::format("it is on the {} side now", name_of(c.side));
  for (const design::LeftOut& left : now.draft.left_out) gone[design::recipe_name(left.reference)] = left.why;
  return gone;
}

}  // namespace

int update_recipe(const UpdateOptions& o) {
  const std::string text = config::toml_file_bytes(o.recipe);
  config::Problems problems;
  const Recipe recipe = recipe_from_text(text, o.recipe, problems);
  problems.throw_first();
  if (recipe.surface)
    throw std::invalid_argument(o.recipe + ": a surface's recipe has a model, not a design");
  ImportOptions import = import_of(o, recipe);
  const ImportedRecipe now = imported_recipe(import, true);
  teach::DesignChange change{text, o.recipe, now.text, std::nullopt, gone_from(now, import.side)};
  if (!o.former_design.empty()) {
    import.file = o.former_design;
    change.former_import = imported_recipe(import, false).text;
  }
  const teach::UpdatedRecipe updated = updated_recipe(change);
  for (const std::string& line : updated.changes) fmt::print("{}\n", line);
  if (updated.changes.empty()) fmt::print("nothing changes but what lies under the rings\n");
  if (!o.list) {
    const std::string output = o.output.empty() ? o.recipe : o.output;
    write_file_durably(output, updated.text);
    fmt::print("{}: written\n", output);
  }
  return updated.open ? untold : good;
}

}  // namespace datum
