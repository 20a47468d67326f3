#include "daemon/store/signed_heads.h"

#include "daemon/store/sqlite.h"

namespace datum {
namespace fs = std::filesystem;

void keep_signed_heads(sqlite3* db, const fs::path& file, const std::vector<SignedHead>& heads) {
  sqlite::execute(db, file, "BEGIN IMMEDIATE");
  try {
    sqlite::execute(
        db, file,
        "CREATE TABLE IF NOT EXISTS signed_head (link INTEGER NOT NULL, record TEXT NOT NULL UNIQUE)");
    sqlite::Statement insert(db, file, "INSERT OR IGNORE INTO signed_head VALUES (?1, ?2)");
    for (const SignedHead& head : heads) {
      sqlite::Run row(insert);
      row->bind(1, static_cast<std::int64_t>(head.head.link)).bind(2, text_of(head)).step();
    }
    sqlite::execute(
        db, file,
        "DELETE FROM signed_head WHERE link < (SELECT min(link) FROM chain) AND link < (SELECT max(link) "
        "FROM signed_head)");
    sqlite::execute(db, file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::optional<std::string> newest_signed_head(sqlite3* db, const fs::path& file) {
  if (!sqlite::has_table(db, file, "signed_head")) return std::nullopt;
  sqlite::Statement row(db, file, "SELECT record FROM signed_head ORDER BY link DESC, rowid DESC LIMIT 1");
  return row.step() ? std::optional(row.text(0)) : std::nullopt;
}

std::vector<std::string> signed_heads_of(sqlite3* db, const fs::path& file) {
  std::vector<std::string> records;
  if (!sqlite::has_table(db, file, "signed_head")) return records;
  sqlite::Statement rows(db, file, "SELECT record FROM signed_head ORDER BY link, rowid");
  while (rows.step()) records.push_back(rows.text(0));
  return records;
}

}  // namespace datum
