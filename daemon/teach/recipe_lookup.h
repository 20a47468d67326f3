// A recipe's text read by datumd's own reader, and its components by reference.
#pragma once

#include <string>

#include "daemon/inspection/recipe/recipe.h"

namespace datum::teach {

/// Throws the first of its errors, config::ConfigError.
Recipe accepted_recipe(const std::string& text, const std::string& name);
/// Null: there is none.
const Component* component_of(const Recipe& recipe, const std::string& reference);

/// A place where nothing may lie: its height and a presence have an upper limit alone (recipe import --not-populated empty).
bool must_be_empty(const Component& component);

/// An imported recipe's head says how many heights are confirmed: the text with the number that is true of it now.
std::string with_true_head(std::string text, const Recipe& recipe);

}  // namespace datum::teach
