#include "daemon/store/check_records.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/utc_time.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/store/chain_records.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_rows.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* table =
    "CREATE TABLE IF NOT EXISTS reference_check (id INTEGER PRIMARY KEY, name TEXT NOT NULL, step TEXT NOT "
    "NULL, after INTEGER NOT NULL, link INTEGER NOT NULL, json TEXT NOT NULL)";
constexpr const char* index_by_name =
    "CREATE INDEX IF NOT EXISTS reference_check_name ON reference_check (name, id)";
constexpr const char* statement_begin = R"({"what":"check")";

CheckStep step_from(const std::string& name) {
  for (const CheckStep s : {CheckStep::due, CheckStep::check, CheckStep::valid, CheckStep::failed})
    if (name == name_of(s)) return s;
  if (name == name_of(CheckStep::override_)) return CheckStep::override_;
  throw std::runtime_error("'" + name + "' is no step of a reference check");
}

Json json_of(const CheckedValue& v) {
  return {{"component", v.component},
          {"characteristic", v.characteristic},
          {"unit", v.unit},
          {"certified", v.certified},
          {"expanded_certified", v.expanded_certified},
          {"maximum_permissible", v.maximum_permissible},
          {"mean", v.mean},
          {"expanded", v.expanded},
          {"worst", v.worst},
          {"e_n", v.e_n},
          {"good", v.good}};
}

/// A value that could not be measured is null.
double number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

CheckedValue value_from(const Json& j) {
  return {j.at("component"),
          j.at("characteristic"),
          j.at("unit"),
          number(j, "certified"),
          number(j, "expanded_certified"),
          number(j, "maximum_permissible"),
          number(j, "mean"),
          number(j, "expanded"),
          number(j, "worst"),
          number(j, "e_n"),
          j.at("good")};
}

sqlite::Connection reader(const fs::path& store) {
  sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  return db;
}

std::vector<CheckRecord> rows_of(sqlite3* db, const fs::path& store, const std::string& name,
                                 const std::string& where, std::uint64_t limit) {
  std::vector<CheckRecord> records;
  if (!sqlite::has_table(db, store, "reference_check")) return records;
  sqlite::Statement rows(db, store,
                         ("SELECT json FROM reference_check WHERE (?1 = '' OR name = ?1) " + where +
                          " ORDER BY id DESC LIMIT ?2")
                             .c_str());
  rows.bind(1, name).bind(2, static_cast<std::int64_t>(limit));
  while (rows.step()) records.push_back(check_record_from(rows.text(0)));
  return records;
}

}  // namespace

const char* name_of(CheckStep s) {
  switch (s) {
    case CheckStep::due:
      return "DUE";
    case CheckStep::check:
      return "CHECK";
    case CheckStep::valid:
      return "VALID";
    case CheckStep::failed:
      return "FAILED";
    case CheckStep::override_:
      return "OVERRIDE";
  }
  return "?";
}

std::string to_statement(const CheckRecord& r) {
  Json json{{"what", "check"}, {"id", r.id},       {"check", r.name},  {"step", name_of(r.step)},
            {"why", r.why},    {"after", r.after}, {"utc_s", r.utc_s}, {"utc", iso8601_from_utc(r.utc_s)}};
  if (!r.by.empty()) json["by"] = r.by;
  if (!r.definition.empty()) json["definition"] = r.definition;
  if (!r.calibration.empty()) json["calibration"] = r.calibration;
  if (r.temperature_degc) json["temperature_degc"] = *r.temperature_degc;
  if (r.until_utc_s != 0) json["until_utc_s"] = r.until_utc_s;
  if (!r.readings.empty()) json["readings"] = r.readings;
  for (const CheckedValue& v : r.values) json["values"].push_back(json_of(v));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a host may send invalid UTF-8
}

CheckRecord check_record_from(const std::string& statement) {
  try {
    const Json json = Json::parse(statement);
    CheckRecord r;
    r.id = json.at("id");
    r.name = json.at("check");
    r.step = step_from(json.at("step"));
    r.why = json.at("why");
    r.after = json.at("after");
    r.utc_s = json.at("utc_s");
    r.by = json.value("by", "");
    r.definition = json.value("definition", "");
    r.calibration = json.value("calibration", "");
    if (json.contains("temperature_degc")) r.temperature_degc = json.at("temperature_degc").get<double>();
    r.until_utc_s = json.value("until_utc_s", std::int64_t{0});
    if (json.contains("readings")) r.readings = json.at("readings").get<std::vector<std::uint64_t>>();
    if (json.contains("values"))
      for (const Json& v : json.at("values")) r.values.push_back(value_from(v));
    return r;
  } catch (const Json::exception& error) {
    throw std::runtime_error(
        fmt::format("the record of a reference check '{}' can't be read: {}", statement, error.what()));
  }
}

std::string words_of(const CheckRecord& r) {
  std::string text = fmt::format("check {}: {}", r.name, name_of(r.step));
  if (r.until_utc_s != 0) text += " until " + iso8601_from_utc(r.until_utc_s);
  if (!r.by.empty()) text += " by " + r.by;
  if (!r.why.empty()) text += ": " + r.why;
  return text + fmt::format(" (record {})", r.id);
}

void keep_check_records(sqlite3* db, const fs::path& file, const std::string& store_id,
                        const std::vector<CheckRecord>& records) {
  sqlite::execute(db, file, "BEGIN IMMEDIATE");
  try {
    sqlite::execute(db, file, table);
    sqlite::execute(db, file, index_by_name);
    for (const CheckRecord& record : records) {
      const std::string json = to_statement(record);
      append_statement(db, file, store_id, json);
      sqlite::Statement insert(
          db, file, "INSERT INTO reference_check VALUES (?1, ?2, ?3, ?4, (SELECT max(link) FROM chain), ?5)");
      insert.bind(1, static_cast<std::int64_t>(record.id)).bind(2, record.name).bind(3, name_of(record.step));
      insert.bind(4, static_cast<std::int64_t>(record.after)).bind(5, json).step();
    }
    sqlite::execute(db, file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::optional<CheckRecord> newest_check(const fs::path& store, const std::string& name, CheckFilter filter) {
  const sqlite::Connection db = reader(store);
  const char* where = filter == CheckFilter::any     ? ""
                      : filter == CheckFilter::valid ? "AND step = 'VALID'"
                                                     : "AND step <> 'OVERRIDE'";
  auto records = rows_of(db.get(), store, name, where, 1);
  return records.empty() ? std::nullopt : std::optional(std::move(records.front()));
}

std::vector<CheckRecord> check_records(const fs::path& store, const std::string& name, std::uint64_t limit) {
  return rows_of(reader(store).get(), store, name, "", limit);
}

std::uint64_t last_check_id(const fs::path& store) {
  const sqlite::Connection db = reader(store);
  if (!sqlite::has_table(db.get(), store, "reference_check")) return 0;
  return static_cast<std::uint64_t>(
      sqlite::query_integer(db.get(), store, "SELECT coalesce(max(id), 0) FROM reference_check"));
}

LookBack look_back(const fs::path& store, const std::string& name, std::optional<std::uint64_t> id) {
  const sqlite::Connection db = reader(store);
  LookBack found;
  const std::string before = id ? fmt::format("AND id < {}", *id) : "";
  if (id) {
    auto bad = rows_of(db.get(), store, name, fmt::format("AND id = {}", *id), 1);
    if (bad.empty())
      throw std::runtime_error(fmt::format("{}: check {} has no record {}", store.string(), name, *id));
    found.bad = std::move(bad.front());
  }
  if (auto good = rows_of(db.get(), store, name, "AND step = 'VALID' " + before, 1); !good.empty())
    found.good = std::move(good.front());
  sqlite::Statement rows(db.get(), store,
                         "SELECT sequence, measured_at, recipe, unit_id, decision, json FROM result WHERE "
                         "sequence > ?1 AND sequence <= ?2 ORDER BY sequence");
  rows.bind(1, static_cast<std::int64_t>(found.good ? found.good->after : 0));
  rows.bind(
      2, found.bad ? static_cast<std::int64_t>(found.bad->after) : std::numeric_limits<std::int64_t>::max());
  while (rows.step())
    found.rows.push_back({static_cast<std::uint64_t>(rows.integer(0)), rows.text(1), rows.text(2),
                          rows.text(3), name_of(static_cast<Decision>(rows.integer(4))), rows.text(5)});
  return found;
}

std::vector<std::string> altered_checks(sqlite3* db, const fs::path& file) {
  return altered_records(
      db, file,
      {"reference_check", statement_begin,
       "id = json_extract(json, '$.id') AND name = json_extract(json, '$.check') AND step = "
       "json_extract(json, '$.step') AND after = json_extract(json, '$.after')",
       "the reference checks"});
}

}  // namespace datum
