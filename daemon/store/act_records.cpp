#include "daemon/store/act_records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "daemon/store/chain_records.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_rows.h"
#include "drivers/frame/bounded_text.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* act_table =
    "CREATE TABLE IF NOT EXISTS act_record (link INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, json TEXT "
    "NOT "
    "NULL)";
constexpr const char* act_statement_begin = R"({"what":"act",)";

ActKind act_kind_from(const std::string& name) {
  for (const ActKind k : {ActKind::study_start, ActKind::study_end, ActKind::recipe_confirmed})
    if (name == name_of(k)) return k;
  throw std::runtime_error("'" + name + "' is no act");
}

}  // namespace

const char* name_of(ActKind k) {
  switch (k) {
    case ActKind::study_start:
      return "STUDY_START";
    case ActKind::study_end:
      return "STUDY_END";
    case ActKind::recipe_confirmed:
      return "RECIPE_CONFIRMED";
  }
  return "?";
}

std::string to_statement(const ActRecord& r) {
  const Json json{{"what", "act"},
                  {"act", name_of(r.kind)},
                  {"name", bounded_text(r.name)},
                  {"by", bounded_text(r.by)},
                  {"at", bounded_text(r.at)},
                  {"detail", bounded_text(r.detail)},
                  {"sha256", r.sha256},
                  {"utc", r.utc}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a file may have invalid UTF-8
}

std::optional<ActRecord> act_from(const std::string& statement) {
  if (!statement.starts_with(act_statement_begin)) return std::nullopt;
  try {
    const Json json = Json::parse(statement);
    ActRecord r;
    r.kind = act_kind_from(json.at("act"));
    r.name = json.at("name");
    r.by = json.at("by");
    r.at = json.at("at");
    r.detail = json.at("detail");
    r.sha256 = json.at("sha256");
    r.utc = json.at("utc");
    return r;
  } catch (const Json::exception& error) {
    throw std::runtime_error(
        fmt::format("the record of an act '{}' can't be read: {}", statement, error.what()));
  }
}

std::string words_of(const ActRecord& r) {
  switch (r.kind) {
    case ActKind::study_start:
      return fmt::format("study {} is started by {} at {}: {}", r.name, r.by, r.at, r.detail);
    case ActKind::study_end:
      return fmt::format("study {} of {} is complete: {}", r.name, r.by, r.detail);
    case ActKind::recipe_confirmed:
      return fmt::format("recipe {}: heights confirmed by {} at {}: {}", r.name, r.by, r.at, r.detail);
  }
  return r.detail;
}

void append_once(sqlite3* db, const fs::path& file, const std::string& store_id,
                 const std::string& statement) {
  const auto act = act_from(statement);
  if (!act) return append_statement(db, file, store_id, statement);
  sqlite::execute(db, file, act_table);
  sqlite::Statement known(db, file, "SELECT 1 FROM act_record WHERE key = ?1");
  if (known.bind(1, act->key()).step()) return;
  append_statement(db, file, store_id, statement);
  sqlite::Statement insert(db, file, "INSERT INTO act_record VALUES ((SELECT max(link) FROM chain), ?1, ?2)");
  insert.bind(1, act->key()).bind(2, statement).step();
}

std::set<std::string> known_acts(const fs::path& store) {
  const sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  std::set<std::string> keys;
  if (!sqlite::has_table(db.get(), store, "act_record")) return keys;
  sqlite::Statement rows(db.get(), store, "SELECT key FROM act_record");
  while (rows.step()) keys.insert(rows.text(0));
  return keys;
}

std::vector<std::string> altered_acts(sqlite3* db, const fs::path& file) {
  return altered_records(
      db, file,
      {"act_record", act_statement_begin,
       "key = json_extract(json, '$.act') || ' ' || json_extract(json, '$.sha256')", "what a person did"});
}

}  // namespace datum
