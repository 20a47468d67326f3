// A recipe from a design file, as `datumctl recipe import` makes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/design/read_design.h"
#include "daemon/design/recipe_draft.h"

namespace datum {

struct ImportOptions {
  std::string file, output, name, sensor, serial, picture;
  std::vector<std::string> libraries;
  std::optional<double> pitch_mm;
  std::vector<double> ring_mm, origin_mm, outline_mm;
  std::vector<int> instance;  // column and row of the panel, from 1; empty: the board as it stands
  bool panel = false;         // of all boards of the design's panel
  bool keyed_fixture = false;
  double rotation_deg = 0;
  std::string fallback = "none", not_populated = "leave-out", side = "top", turn = "vertical",
              coordinates = "sensor", file_side;
  design::CentroidOptions table;
};

/// A recipe's text with what it was made from.
struct ImportedRecipe {
  std::string text;
  design::ReadDesign read;
  design::Draft draft;
};

/// The recipe's text, not written. `report`: says on stderr what was found. Throws as import_recipe.
ImportedRecipe imported_recipe(const ImportOptions& options, bool report);

/// Writes the recipe and its picture, and says on stderr what was found. Exit status 0, or 1 where no component can be measured.
/// Throws design::DesignError, config::ConfigError, std::invalid_argument for options, std::runtime_error where a file can't be
/// written.
int import_recipe(const ImportOptions& options);

}  // namespace datum
