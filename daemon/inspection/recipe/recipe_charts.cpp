// [control_charts]: rules that watch frozen limits in the running cell.
#include <algorithm>
#include <stdexcept>

#include "daemon/inspection/recipe/chart_rules.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/rules/rule_watch.h"

namespace datum {
namespace {

constexpr const char* allowed = "numbers 1 to 8 such as \"1,2,5\", or \"nelson\", or \"western-electric\"";

quality::RuleSet read_rules(config::TomlTable& table, const char* key, const std::string& text) {
  try {
    return quality::rule_set_of(text);
  } catch (const std::invalid_argument&) {
    table.refuse(key, "'" + text + "' is no set of rules", allowed);
  }
}

std::vector<std::string> read_names(config::TomlTable& table, const char* key) {
  if (!table.has(key)) return {};
  std::vector<std::string> names = table.texts(key);
  if (names.empty())
    table.refuse(key, "is empty, so that nothing is watched", "leave the key out to watch all");
  return names;
}

template <class Known>
void demand_known(config::TomlTable& table, const char* key, const std::vector<std::string>& names,
                  Known known) {
  for (const std::string& name : names)
    if (!known(name)) table.refuse(key, "'" + name + "' is not in this recipe", "names of this recipe's own");
}

}  // namespace

void read_control_charts(config::TomlTable table, Recipe& recipe, bool complete) {
  table.only_keys({"rules", "disarm", "components", "packages", "characteristics"});
  ChartRules c;
  c.rules = table.text("rules");
  const quality::RuleSet rules = read_rules(table, "rules", c.rules);
  if (const auto disarm = table.text_if("disarm")) {
    c.disarm = *disarm;
    const quality::RuleSet some = read_rules(table, "disarm", c.disarm);
    if (!std::includes(rules.rules.begin(), rules.rules.end(), some.rules.begin(), some.rules.end()))
      table.refuse("disarm", "'" + c.disarm + "' has a rule that is none of rules = \"" + c.rules + "\"",
                   "rules that are watched");
  }
  c.components = read_names(table, "components");
  c.packages = read_names(table, "packages");
  c.characteristics = read_names(table, "characteristics");
  const auto any = [&](auto fits) {
    return std::any_of(recipe.components.begin(), recipe.components.end(), fits);
  };
  if (complete) {
    demand_known(table, "components", c.components, [&](const std::string& name) {
      return any([&](const Component& k) { return k.reference == name; });
    });
    demand_known(table, "packages", c.packages, [&](const std::string& name) {
      return any([&](const Component& k) { return k.package == name; });
    });
    demand_known(table, "characteristics", c.characteristics, [&](const std::string& name) {
      return any([&](const Component& k) {
        return std::any_of(k.checks.begin(), k.checks.end(),
                           [&](const Check& check) { return name_of(check.characteristic) == name; });
      });
    });
  }
  table.finish();
  recipe.charts = std::make_shared<const ChartRules>(std::move(c));
}

}  // namespace datum
