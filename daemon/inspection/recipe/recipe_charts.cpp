// [control_charts]: rules that watch frozen limits in the running cell.
#include <algorithm>
#include <stdexcept>

#include "daemon/inspection/recipe/chart_rules.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/rules/rule_watch.h"

namespace datum {
namespace {

constexpr const char* allowed =
    "numbers 1 to 8 such as \"1,2,5\", or \"nelson\", or \"western-electric\", with or without \"ewma\" and "
    "\"cusum\" "
    "such as \"1,ewma\"";

quality::RuleSet read_rules(config::TomlTable& table, const char* key, const std::string& text) {
  try {
    return quality::chart_rule_set_of(text);
  } catch (const std::invalid_argument&) {
    table.refuse(key, "'" + text + "' is no set of rules", allowed);
  }
}

/// Tables `ewma` and `cusum` of the words in `rules`.
quality::DriftRules read_drift(config::TomlTable& table, const quality::RuleSet& rules) {
  quality::DriftRules drift;
  const auto watched = [&](const char* key, int rule) {
    const bool is = rules.rules.contains(rule);
    if (!is && table.has(key))
      table.refuse(key, "is not among rules, so that it watches nothing",
                   std::string("add it there, such as rules = \"1,") + key + "\", or leave the table out");
    return is;
  };
  if (watched("ewma", quality::ewma_rule)) {
    drift.ewma.emplace();
    if (auto ewma = table.table_if("ewma")) {
      drift.ewma->lambda = ewma->number("lambda", {0.01, 1});
      drift.ewma->width = ewma->number("width", {0.5, 10});
      ewma->finish();
    }
  }
  if (watched("cusum", quality::cusum_rule)) {
    drift.cusum.emplace();
    if (auto cusum = table.table_if("cusum")) {
      drift.cusum->k = cusum->number("k", {0, 10});
      drift.cusum->h = cusum->number("h", {0.5, 100});
      drift.cusum->head_start = cusum->boolean_or("head_start", false);
      cusum->finish();
    }
  }
  return drift;
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
  table.only_keys({"rules", "disarm", "ewma", "cusum", "components", "packages", "characteristics"});
  ChartRules c;
  c.rules = table.text("rules");
  const quality::RuleSet rules = read_rules(table, "rules", c.rules);
  c.drift = read_drift(table, rules);
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
