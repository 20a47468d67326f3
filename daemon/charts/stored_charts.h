// StoredCharts: watches the results of a store by the frozen limits beside it. It reads what is stored, by its own connection, so that it
// finds the same after a kill as without, and on a thread of its own it delays no board.
//
// Left out as by datumctl spc: repeats of a unit, results of studies, readings of reference artefacts, results that can't be read. A study
// records a result only after it is stored: while a study that is not complete uses the recipe, results of its parts and
// of boards without a number are left out, too.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/charts/chart_watch.h"
#include "daemon/store/chart_records.h"

namespace datum::quality {

/// Limits as they are found beside the store.
struct LimitsFound {
  std::shared_ptr<const FrozenLimits> limits;  // null: there are none, or `fault`
  std::string fault;                           // why the file can't be used
};

struct ChartFindings {
  std::uint64_t watched = 0;  // up to this result
  bool more = false;          // results are left
  std::vector<ChartRecord> records;
  std::vector<ChartCheckpoint> checkpoints;   // of `watched`, to be kept with it
  std::map<std::string, LimitsFound> limits;  // of recipes whose file changed, came or went
};

class StoredCharts {
 public:
  explicit StoredCharts(std::filesystem::path store);
  ~StoredCharts();

  /// Looks at the limits of these recipes and of those that results name, and watches at most so many results. Throws StoreError.
  ChartFindings watch(const std::vector<std::string>& recipes, std::uint64_t most, std::int64_t utc_s);
  /// A person acknowledged the hits of a recipe: its series begin anew. Returns the result behind which.
  std::uint64_t restart(const std::string& recipe);

 private:
  struct Live;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace datum::quality
