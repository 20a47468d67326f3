// Records of control charts (daemon/charts) in the result store: limits that are taken up, results on which a rule is hit, and persons'
// acknowledgements. Each is a statement of the hash chain and a row of the table chart_record, in one transaction. Rows stay for ever;
// retention removes old statements of the chain.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace datum {

enum class ChartStep : std::uint8_t {
  limits,        // limits are taken up
  hit,           // a result completes a rule
  acknowledged,  // a person has looked into the hits so far: series begin anew
};
const char* name_of(ChartStep s);  // "LIMITS", "HIT", "ACKNOWLEDGED"

/// A rule that is hit, as text of its series.
struct ListedHit {
  std::string series, rule;           // "2", "EWMA"
  std::uint64_t first = 0, last = 0;  // results
};

struct ChartRecord {
  std::string recipe;
  ChartStep step = ChartStep::hit;
  std::int64_t utc_s = 0;
  std::string by, why;        // person and reason
  std::string limits;         // id of the limits
  std::string limits_sha256;  // of their file
  std::uint64_t after = 0;    // the result that is hit; else the newest one that was watched
  std::uint64_t seen = 0;     // of an acknowledgement: the newest hit that the person saw
  std::uint64_t hits = 0;     // series and rules of this result
  bool disarms = false;
  std::vector<ListedHit> listed;  // of them, the first most_listed_hits
};
inline constexpr std::size_t most_listed_hits = 32;

/// Where EWMA and CUSUM of a recipe go on behind the result up to which all are watched. No statement: the store's results give the same
/// state.
struct ChartCheckpoint {
  std::string recipe, limits_sha256;
  std::uint64_t watched = 0, taken = 0;  // taken: the newest result of the recipe that entered
  std::string drift;                     // ChartWatch::drift_state
};

/// The statement of the chain, and the row's JSON.
std::string to_statement(const ChartRecord& record);
/// Throws std::runtime_error where it can't be read.
ChartRecord chart_record_from(const std::string& statement);
/// "control chart of psu: result 310 hits rule 2 (U1 median) and 3 more, disarmed", for lists.
std::string words_of(const ChartRecord& record);

/// Commits records with their statements, and the result up to which all are watched with its checkpoints, all or nothing. Within no transaction. A hit that is
/// there already is not kept again. Throws StoreError.
void keep_chart_records(sqlite3* db, const std::filesystem::path& file, const std::string& store_id,
                        const std::vector<ChartRecord>& records, std::uint64_t watched,
                        const std::vector<ChartCheckpoint>& checkpoints);

/// What the store knows of a recipe's chart.
struct KeptChart {
  std::string recipe;
  std::optional<ChartRecord> limits, acknowledged, hit;  // the newest ones
  std::uint64_t hit_results = 0;                         // since the acknowledgement
  std::optional<ChartRecord> disarmed;                   // the newest one of them that disarms
};
struct KeptCharts {
  std::vector<KeptChart> charts;
  std::vector<ChartCheckpoint> checkpoints;
  std::uint64_t watched = 0;  // a result up to which all are watched; some behind it may be, too
};
KeptCharts kept_charts(const std::filesystem::path& store);

/// The records of a recipe, or of all where `recipe` is empty, newest first.
std::vector<ChartRecord> chart_records(const std::filesystem::path& store, const std::string& recipe,
                                       std::uint64_t limit);

/// Sequence number and unit of each result of a recipe that has a unit, in order.
std::vector<std::pair<std::uint64_t, std::string>> measured_units(const std::filesystem::path& store,
                                                                  const std::string& recipe);

/// Results behind which a person acknowledged the hits, by recipe, in their order.
std::map<std::string, std::vector<std::uint64_t>> acknowledged_charts(const std::filesystem::path& store);

/// Rows that differ from their statement, or lack it, and statements without a row: one line each.
std::vector<std::string> altered_charts(sqlite3* db, const std::filesystem::path& file);

}  // namespace datum
