// Control limits of a recipe's series, frozen from results of phase 1 (datumctl chart freeze): a file beside the store that never changes;
// newer limits take its place and leave it under its id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/rules/drift_watch.h"
#include "daemon/rules/rule_watch.h"
#include "daemon/series/series.h"

namespace datum::quality {

/// Of individual values, in unit_of(characteristic): mean, and sigma by the mean moving range over d2.
struct SeriesLimits {
  double mean = 0, sigma = 0;
  std::uint64_t values = 0;  // of phase 1
};

/// A result that was left out of phase 1, and its cause.
struct RemovedResult {
  std::uint64_t sequence = 0;
  std::string cause;
};

/// Rules of a chart as they watch a series.
struct ChosenRules {
  RuleSet set;
  DriftRules drift;
};

struct FrozenLimits {
  std::string id, at, by;  // ISO 8601 UTC; the person who froze them
  std::string recipe, recipe_sha256, calibration, calibration_sha256, code;
  std::string rules,
      disarm;        // as the recipe's table [control_charts] has them; disarm is empty where no rule disarms
  DriftRules drift;  // of the words "ewma" and "cusum" in rules
  std::uint64_t first = 0, last = 0, results = 0;  // of phase 1; rules watch the results behind `last`
  std::vector<RemovedResult> removed;
  std::map<SeriesKey, SeriesLimits> series;
  std::string sha256;  // of the file

  ChosenRules chosen() const { return {chart_rule_set_of(rules), drift}; }
  /// The verdict was made by the same recipe, calibration and code.
  bool hold_for(const BoardVerdict& verdict) const;
};

class LimitsRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "control_limits/RECIPE.json" beside the store. The name of a recipe is no path: other characters than letters, digits, '-' and '_' are
/// written as %XX.
std::filesystem::path limits_file(const std::filesystem::path& store, const std::string& recipe);

std::string to_json(const FrozenLimits& limits);
/// `name`: of the file. Throws LimitsRefused: what is wrong, where.
FrozenLimits limits_from_json(const std::string& json, const std::string& name);
/// Throws LimitsRefused, also where there is no file.
FrozenLimits read_limits(const std::filesystem::path& file);
/// Durable before it returns; the former limits stay as RECIPE.ID.json. Throws std::system_error, LimitsRefused.
void write_limits(const std::filesystem::path& file, const FrozenLimits& limits);

}  // namespace datum::quality
