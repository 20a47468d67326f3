// A recipe after a change of its design: the new import with what people put into the former recipe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace datum::teach {

struct DesignChange {
  std::string recipe, recipe_name;           // the former recipe's text, and its file in messages
  std::string imported;                      // `recipe import` of the new design
  std::optional<std::string> former_import;  // of the former design: what differs from it was put in by hand
  std::map<std::string, std::string> gone;   // why the new design does not give a component, by its reference
};

struct UpdatedRecipe {
  std::string text;
  std::vector<std::string> changes;  // a line each: moved, added, removed, changed, kept
  bool open = false;                 // something is unconfirmed now that was not, or could not be kept
};

/// Components are the same by their reference. One that must be empty now, or no longer, is as imported. One whose package (the name before '#') or body size is the same keeps height, limits,
/// confirmation, further checks, fallback, and a ring that was edited by hand; otherwise it is as imported. Places, rings, exclusions
/// and holes are the new design's; exclusions and holes of the recipe that the former import has not stay, and without a former
/// import all that the new one has not. A component that states its body, height and demand itself is no design's, and stays. All
/// other tables ([board] but for size_mm, [floor], [decision], [[confirmation]] ...) are the former recipe's text.
/// Throws config::ConfigError, and std::invalid_argument where no component is in both.
UpdatedRecipe updated_recipe(const DesignChange& change);

}  // namespace datum::teach
