#include "daemon/store/chart_records.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/utc_time.h"
#include "daemon/store/chain_records.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_rows.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A result has one record of hits at most, so that one that is watched twice is recorded once.
constexpr const char* chart_tables = R"sql(
  CREATE TABLE IF NOT EXISTS chart_record (link INTEGER PRIMARY KEY, recipe TEXT NOT NULL, step TEXT NOT NULL,
    after INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS chart_record_recipe ON chart_record (recipe, step, link);
  CREATE UNIQUE INDEX IF NOT EXISTS chart_record_hit ON chart_record (recipe, after) WHERE step = 'HIT';
  CREATE TABLE IF NOT EXISTS chart_watched (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS chart_checkpoint (recipe TEXT PRIMARY KEY, limits_sha256 TEXT NOT NULL,
    watched INTEGER NOT NULL, taken INTEGER NOT NULL, drift TEXT NOT NULL);
)sql";
constexpr const char* chart_statement_begin = R"({"what":"chart")";

ChartStep chart_step_from(const std::string& name) {
  for (const ChartStep s : {ChartStep::limits, ChartStep::hit, ChartStep::acknowledged})
    if (name == name_of(s)) return s;
  throw std::runtime_error("'" + name + "' is no step of a control chart");
}

std::int64_t signed_number(std::uint64_t n) {
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(n, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
}

sqlite::Connection chart_reader(const fs::path& store) {
  sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  return db;
}

std::vector<ChartRecord> chart_rows(sqlite3* db, const fs::path& store, const std::string& recipe,
                                    const std::string& where, std::uint64_t limit) {
  sqlite::Statement rows(db, store,
                         ("SELECT json FROM chart_record WHERE (?1 = '' OR recipe = ?1) " + where +
                          " ORDER BY link DESC LIMIT ?2")
                             .c_str());
  rows.bind(1, recipe).bind(2, signed_number(limit));
  std::vector<ChartRecord> records;
  while (rows.step()) records.push_back(chart_record_from(rows.text(0)));
  return records;
}

bool is_kept_hit(sqlite3* db, const fs::path& file, const ChartRecord& record) {
  if (record.step != ChartStep::hit) return false;
  sqlite::Statement row(db, file,
                        "SELECT 1 FROM chart_record WHERE recipe = ?1 AND after = ?2 AND step = 'HIT'");
  return row.bind(1, record.recipe).bind(2, signed_number(record.after)).step();
}

bool is_number(const std::string& rule) { return rule.size() == 1 && rule[0] >= '0' && rule[0] <= '9'; }

/// Nelson's rules are numbers.
Json rule_json(const std::string& rule) { return is_number(rule) ? Json(rule[0] - '0') : Json(rule); }
std::string rule_from(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::to_string(json.get<int>());
}

std::string hits_text(const ChartRecord& r) {
  if (r.listed.empty()) return fmt::format("{} rules hit", r.hits);
  const ListedHit& h = r.listed.front();
  std::string text = fmt::format("{}{} is hit by {}, results {} to {}", is_number(h.rule) ? "rule " : "",
                                 h.rule, h.series, h.first, h.last);
  if (r.hits > 1) text += fmt::format(", and {} more", r.hits - 1);
  return text;
}

KeptChart kept_chart(sqlite3* db, const fs::path& store, const std::string& recipe) {
  KeptChart kept;
  kept.recipe = recipe;
  const auto newest = [&](const std::string& where) -> std::optional<ChartRecord> {
    auto rows = chart_rows(db, store, recipe, where, 1);
    if (rows.empty()) return std::nullopt;
    return std::move(rows.front());
  };
  kept.limits = newest("AND step = 'LIMITS'");
  kept.acknowledged = newest("AND step = 'ACKNOWLEDGED'");
  const std::string since =
      fmt::format("AND step = 'HIT' AND after > {}", kept.acknowledged ? kept.acknowledged->seen : 0);
  kept.hit = newest(since);
  kept.disarmed = newest(since + " AND json_extract(json, '$.disarms') = 1");
  sqlite::Statement count(db, store,
                          ("SELECT count(*) FROM chart_record WHERE recipe = ?1 " + since).c_str());
  if (count.bind(1, recipe).step()) kept.hit_results = static_cast<std::uint64_t>(count.integer(0));
  return kept;
}

}  // namespace

const char* name_of(ChartStep s) {
  switch (s) {
    case ChartStep::limits:
      return "LIMITS";
    case ChartStep::hit:
      return "HIT";
    case ChartStep::acknowledged:
      return "ACKNOWLEDGED";
  }
  return "?";
}

std::string to_statement(const ChartRecord& r) {
  Json json{{"what", "chart"},  {"recipe", r.recipe}, {"step", name_of(r.step)},         {"after", r.after},
            {"utc_s", r.utc_s}, {"limits", r.limits}, {"limits_sha256", r.limits_sha256}};
  json["utc"] = iso8601_from_utc(r.utc_s);
  if (!r.by.empty()) json["by"] = r.by;
  if (!r.why.empty()) json["why"] = r.why;
  if (r.step == ChartStep::acknowledged) json["seen"] = r.seen;
  if (r.step == ChartStep::hit) {
    json["hits"] = r.hits;
    json["disarms"] = r.disarms;
    for (const ListedHit& h : r.listed)
      json["listed"].push_back(
          {{"series", h.series}, {"rule", rule_json(h.rule)}, {"first", h.first}, {"last", h.last}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a host may send invalid UTF-8
}

ChartRecord chart_record_from(const std::string& statement) {
  try {
    const Json json = Json::parse(statement);
    ChartRecord r;
    r.recipe = json.at("recipe");
    r.step = chart_step_from(json.at("step"));
    r.after = json.at("after");
    r.utc_s = json.at("utc_s");
    r.limits = json.at("limits");
    r.limits_sha256 = json.at("limits_sha256");
    r.by = json.value("by", "");
    r.why = json.value("why", "");
    r.seen = json.value("seen", std::uint64_t{0});
    r.hits = json.value("hits", std::uint64_t{0});
    r.disarms = json.value("disarms", false);
    if (json.contains("listed"))
      for (const Json& h : json.at("listed"))
        r.listed.push_back({h.at("series"), rule_from(h.at("rule")), h.at("first"), h.at("last")});
    return r;
  } catch (const Json::exception& error) {
    throw std::runtime_error(
        fmt::format("the record of a control chart '{}' can't be read: {}", statement, error.what()));
  }
}

std::string words_of(const ChartRecord& r) {
  const std::string chart = "control charts of " + r.recipe + ": ";
  switch (r.step) {
    case ChartStep::limits:
      return chart + fmt::format("limits {} by {} are taken up behind result {}", r.limits, r.by, r.after);
    case ChartStep::hit:
      return chart +
             fmt::format("result {}: {}{}", r.after, hits_text(r), r.disarms ? "; the cell is disarmed" : "");
    case ChartStep::acknowledged:
      return chart + fmt::format("acknowledged by {} behind result {}: {}", r.by, r.after, r.why);
  }
  return chart;
}

void keep_chart_records(sqlite3* db, const fs::path& file, const std::string& store_id,
                        const std::vector<ChartRecord>& records, std::uint64_t watched,
                        const std::vector<ChartCheckpoint>& checkpoints) {
  sqlite::execute(db, file, "BEGIN IMMEDIATE");
  try {
    sqlite::execute(db, file, chart_tables);
    for (const ChartRecord& record : records) {
      if (is_kept_hit(db, file, record)) continue;
      const std::string json = to_statement(record);
      append_statement(db, file, store_id, json);
      sqlite::Statement insert(
          db, file, "INSERT INTO chart_record VALUES ((SELECT max(link) FROM chain), ?1, ?2, ?3, ?4)");
      insert.bind(1, record.recipe)
          .bind(2, name_of(record.step))
          .bind(3, signed_number(record.after))
          .bind(4, json)
          .step();
    }
    sqlite::Statement mark(db, file, "INSERT OR REPLACE INTO chart_watched VALUES (1, ?1)");
    mark.bind(1, signed_number(watched)).step();
    for (const ChartCheckpoint& c : checkpoints) {
      sqlite::Statement row(db, file, "INSERT OR REPLACE INTO chart_checkpoint VALUES (?1, ?2, ?3, ?4, ?5)");
      row.bind(1, c.recipe)
          .bind(2, c.limits_sha256)
          .bind(3, signed_number(c.watched))
          .bind(4, signed_number(c.taken))
          .bind(5, c.drift)
          .step();
    }
    sqlite::execute(db, file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

KeptCharts kept_charts(const fs::path& store) {
  const sqlite::Connection db = chart_reader(store);
  KeptCharts kept;
  if (!sqlite::has_table(db.get(), store, "chart_record")) return kept;
  sqlite::Statement recipes(db.get(), store, "SELECT DISTINCT recipe FROM chart_record ORDER BY recipe");
  while (recipes.step()) kept.charts.push_back(kept_chart(db.get(), store, recipes.text(0)));
  kept.watched = static_cast<std::uint64_t>(
      sqlite::query_integer(db.get(), store, "SELECT coalesce(max(sequence), 0) FROM chart_watched"));
  if (!sqlite::has_table(db.get(), store, "chart_checkpoint")) return kept;
  sqlite::Statement rows(db.get(), store,
                         "SELECT recipe, limits_sha256, watched, taken, drift FROM chart_checkpoint");
  while (rows.step())
    kept.checkpoints.push_back({rows.text(0), rows.text(1), static_cast<std::uint64_t>(rows.integer(2)),
                                static_cast<std::uint64_t>(rows.integer(3)), rows.text(4)});
  return kept;
}

std::vector<ChartRecord> chart_records(const fs::path& store, const std::string& recipe,
                                       std::uint64_t limit) {
  const sqlite::Connection db = chart_reader(store);
  if (!sqlite::has_table(db.get(), store, "chart_record")) return {};
  return chart_rows(db.get(), store, recipe, "", limit);
}

std::vector<std::pair<std::uint64_t, std::string>> measured_units(const fs::path& store,
                                                                  const std::string& recipe) {
  const sqlite::Connection db = chart_reader(store);
  sqlite::Statement rows(
      db.get(), store,
      "SELECT sequence, unit_id FROM result WHERE recipe = ?1 AND unit_id <> '' ORDER BY sequence");
  rows.bind(1, recipe);
  std::vector<std::pair<std::uint64_t, std::string>> units;
  while (rows.step()) units.emplace_back(static_cast<std::uint64_t>(rows.integer(0)), rows.text(1));
  return units;
}

std::map<std::string, std::vector<std::uint64_t>> acknowledged_charts(const fs::path& store) {
  const sqlite::Connection db = chart_reader(store);
  std::map<std::string, std::vector<std::uint64_t>> results;
  if (!sqlite::has_table(db.get(), store, "chart_record")) return results;
  sqlite::Statement rows(db.get(), store,
                         "SELECT recipe, after FROM chart_record WHERE step = 'ACKNOWLEDGED' ORDER BY after");
  while (rows.step()) results[rows.text(0)].push_back(static_cast<std::uint64_t>(rows.integer(1)));
  return results;
}

std::vector<std::string> altered_charts(sqlite3* db, const fs::path& file) {
  return altered_records(
      db, file,
      {"chart_record", chart_statement_begin,
       "recipe = json_extract(json, '$.recipe') AND step = json_extract(json, '$.step') AND after = "
       "json_extract(json, '$.after')",
       "the control charts"});
}

}  // namespace datum
