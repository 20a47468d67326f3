// Differences of two recipes by their values: comments, order and form of the text do not count.
#pragma once

#include <string>
#include <vector>

#include "config/toml_document.h"

namespace datum {

struct RecipeDifference {
  std::string key;   // "C3.centre_mm", "package.C0603.tolerance_um", "floor.outer_margin_mm"
  std::string a, b;  // values as in a recipe; empty: not stated
};

/// Components are compared by reference, packages by name, checks by characteristic. One that is in one recipe only is one
/// difference. Sorted by key.
std::vector<RecipeDifference> differences_of(const config::TomlNode& a, const config::TomlNode& b);

}  // namespace datum
