// A recipe after a change of its design, as `datumctl recipe update` makes it.
#pragma once

#include <string>

#include "daemon/ctl/recipe_import.h"

namespace datum {

struct UpdateOptions {
  ImportOptions import;  // of the new design; name, sensor and ring are the recipe's
  std::string recipe, former_design, output;
  bool list = false;  // writes nothing
};

/// Prints what changes and writes the recipe in its place, or to `output`. Exit status 0, or 10 where something is unconfirmed now
/// or was not kept. Throws as import_recipe.
int update_recipe(const UpdateOptions& options);

}  // namespace datum
