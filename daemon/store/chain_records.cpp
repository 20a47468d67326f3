#include "daemon/store/chain_records.h"

#include <fmt/format.h>

#include "daemon/store/sqlite.h"

namespace datum {

std::vector<std::string> altered_records(sqlite3* db, const std::filesystem::path& file,
                                         const ChainRecords& records) {
  std::vector<std::string> lines;
  const bool any = sqlite::has_table(db, file, records.table);
  if (any) {
    // Rows of entries that retention has removed stay without them.
    sqlite::Statement rows(
        db, file,
        fmt::format("SELECT link FROM {} r WHERE link >= (SELECT min(link) FROM chain) AND NOT (EXISTS "
                    "(SELECT 1 FROM chain c WHERE "
                    "c.link = r.link AND c.statement = r.json) AND json_valid(json) AND {})",
                    records.table, records.columns_agree)
            .c_str());
    while (rows.step())
      lines.push_back(
          fmt::format("a record of {} differs from entry {} of the chain", records.what, rows.integer(0)));
  }
  sqlite::Statement rows(
      db, file,
      fmt::format("SELECT link FROM chain WHERE substr(statement, 1, ?1) = ?2{}",
                  any ? fmt::format(" AND link NOT IN (SELECT link FROM {})", records.table) : std::string())
          .c_str());
  rows.bind(1, static_cast<std::int64_t>(records.statement_begin.size())).bind(2, records.statement_begin);
  while (rows.step())
    lines.push_back(fmt::format("the record of {} of entry {} was taken out", records.what, rows.integer(0)));
  return lines;
}

}  // namespace datum
