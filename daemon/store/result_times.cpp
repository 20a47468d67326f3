#include "daemon/store/result_times.h"

namespace datum {
namespace fs = std::filesystem;

void keep_result_times(sqlite3* db, const fs::path& file, const std::vector<ResultTimes>& times) {
  const sqlite::InOrder in_order(db, file);
  sqlite::execute(db, file, "BEGIN IMMEDIATE");
  try {
    sqlite::execute(db, file,
                    "CREATE TABLE IF NOT EXISTS times (sequence INTEGER PRIMARY KEY, json TEXT NOT NULL)");
    sqlite::Statement insert(db, file, "INSERT OR REPLACE INTO times VALUES (?1, ?2)");
    for (const ResultTimes& t : times) {
      sqlite::Run row(insert);
      row->bind(1, static_cast<std::int64_t>(t.sequence)).bind(2, t.json).step();
    }
    sqlite::execute(db, file, "DELETE FROM times WHERE sequence < (SELECT min(sequence) FROM result)");
    sqlite::execute(db, file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::optional<std::string> result_times_of(sqlite3* db, const fs::path& file, std::uint64_t sequence) {
  if (!sqlite::has_table(db, file, "times")) return std::nullopt;
  sqlite::Statement row(db, file, "SELECT json FROM times WHERE sequence = ?1");
  row.bind(1, static_cast<std::int64_t>(sequence));
  return row.step() ? std::optional(row.text(0)) : std::nullopt;
}

}  // namespace datum
