#include "daemon/store/audit_trail.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "daemon/store/act_records.h"
#include "daemon/store/chart_records.h"
#include "daemon/store/check_records.h"
#include "daemon/store/result_chain.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

AuditEntry entry_of(std::uint64_t link, const std::string& statement) {
  AuditEntry e;
  e.link = link;
  e.who = "datumd";
  try {
    const auto json = nlohmann::json::parse(statement);
    e.utc = json.value("utc", "");
    const std::string kind = json.at("what");
    if (kind == "deed") {
      e.who = json.value("host", "");
      if (const std::string person = json.value("person", ""); !person.empty())
        e.who = person + " at " + e.who;
      e.role = json.value("role", "");
      e.certificate = json.value("certificate", "");
      e.what = json.value("deed", "");
      if (const auto more = json.value("left_out", std::uint64_t{0}); more > 0)
        e.what += " (" + std::to_string(more) + " before it are not listed)";
      return e;
    }
    if (kind == "check") {
      const CheckRecord record = check_record_from(statement);
      if (!record.by.empty()) e.who = record.by;
      e.what = words_of(record);
      return e;
    }
    if (kind == "chart") {
      const ChartRecord record = chart_record_from(statement);
      if (!record.by.empty()) e.who = record.by;
      e.what = words_of(record);
      return e;
    }
    if (const auto act = act_from(statement)) {
      e.who = act->by;
      e.what = words_of(*act);
      return e;
    }
    e.what = words_of(statement);
    if (!e.utc.empty() && e.what.starts_with(e.utc + ": ")) e.what.erase(0, e.utc.size() + 2);
  } catch (const std::exception& error) {
    e.what = std::string("can't be read: ") + error.what();
  }
  return e;
}

}  // namespace

std::vector<AuditEntry> audit_trail(const std::filesystem::path& store, const std::string& from,
                                    const std::string& before) {
  const sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  std::vector<AuditEntry> entries;
  if (readable_schema(db.get(), store) < 2) return entries;  // it has no chain
  sqlite::Statement rows(db.get(), store,
                         "SELECT link, statement FROM chain WHERE statement IS NOT NULL AND statement <> '' "
                         "ORDER BY link");
  while (rows.step()) {
    AuditEntry e = entry_of(static_cast<std::uint64_t>(rows.integer(0)), rows.text(1));
    if (e.utc >= from && (before.empty() || e.utc < before)) entries.push_back(std::move(e));
  }
  return entries;
}

}  // namespace datum
