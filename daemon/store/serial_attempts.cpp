#include "daemon/store/serial_attempts.h"

#include <fmt/format.h>

namespace datum {

void number_attempt(sqlite3* db, const std::filesystem::path& file, BoardVerdict& verdict) {
  SerialEvidence& serial = *verdict.serial;
  serial.attempt = 1;
  if (verdict.unit_id.starts_with(unknown_serial))
    verdict.unit_id = fmt::format("{}{}", unknown_serial, verdict.sequence);
  if (verdict.unit_id.empty() || serial.by == "none") return;
  sqlite::execute(db, file,
                  "CREATE TABLE IF NOT EXISTS serial_attempt (unit_id TEXT NOT NULL, recipe TEXT NOT NULL, "
                  "next INTEGER NOT NULL, PRIMARY KEY (unit_id, recipe)) WITHOUT ROWID");
  sqlite::Statement known(db, file, "SELECT next FROM serial_attempt WHERE unit_id = ?1 AND recipe = ?2");
  if (known.bind(1, verdict.unit_id).bind(2, verdict.recipe).step())
    serial.attempt = static_cast<std::uint64_t>(known.integer(0));
  known.reset();
  if (verdict.decision == Decision::invalid) return;
  sqlite::Statement keep(db, file, "INSERT OR REPLACE INTO serial_attempt VALUES (?1, ?2, ?3)");
  keep.bind(1, verdict.unit_id)
      .bind(2, verdict.recipe)
      .bind(3, static_cast<std::int64_t>(serial.attempt + 1));
  keep.step();
}

}  // namespace datum
