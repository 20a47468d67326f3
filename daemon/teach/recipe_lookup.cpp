#include "daemon/teach/recipe_lookup.h"

#include <algorithm>
#include <cctype>

#include "config/toml_reader.h"

namespace datum::teach {

Recipe accepted_recipe(const std::string& text, const std::string& name) {
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, name, problems);
  problems.throw_first();
  return recipe;
}

const Component* component_of(const Recipe& recipe, const std::string& reference) {
  for (const Component& c : recipe.components)
    if (c.reference == reference) return &c;
  return nullptr;
}

bool must_be_empty(const Component& c) {
  const auto upper_alone = [](const Check& check) { return check.upper && !check.lower; };
  return upper_alone(c.checks.front()) &&
         std::any_of(c.checks.begin(), c.checks.end(), [&](const Check& check) {
           return check.characteristic == Characteristic::presence && upper_alone(check);
         });
}

std::string with_true_head(std::string text, const Recipe& recipe) {
  const std::size_t end = text.find(" heights are confirmed."), line = text.rfind('\n', end);
  if (end == std::string::npos || line == std::string::npos || text[line + 1] != '#') return text;
  std::size_t begin = end;
  while (std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
  const auto confirmed = std::count_if(recipe.components.begin(), recipe.components.end(),
                                       [](const Component& c) { return c.nominal_confirmed; });
  return text.replace(begin, end - begin, std::to_string(confirmed));
}

}  // namespace datum::teach
