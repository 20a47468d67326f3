#include "daemon/store/serial_attempts.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum {

namespace {

/// The attempt with which the unit's last repair came; 1: it had none.
std::uint64_t repaired_with(sqlite3* db, const std::filesystem::path& file, const BoardVerdict& v) {
  sqlite::execute(db, file,
                  "CREATE TABLE IF NOT EXISTS serial_repair (unit_id TEXT NOT NULL, recipe TEXT NOT NULL, "
                  "attempt INTEGER NOT NULL, PRIMARY KEY (unit_id, recipe)) WITHOUT ROWID");
  if (v.serial->repair) {
    sqlite::Statement keep(db, file, "INSERT OR REPLACE INTO serial_repair VALUES (?1, ?2, ?3)");
    keep.bind(1, v.unit_id).bind(2, v.recipe).bind(3, static_cast<std::int64_t>(v.serial->attempt)).step();
  }
  sqlite::Statement row(db, file, "SELECT attempt FROM serial_repair WHERE unit_id = ?1 AND recipe = ?2");
  return row.bind(1, v.unit_id).bind(2, v.recipe).step() ? static_cast<std::uint64_t>(row.integer(0)) : 1;
}

/// A board that comes again too often without a repair is not passed by chance.
void limit_retests(sqlite3* db, const std::filesystem::path& file, BoardVerdict& v) {
  SerialEvidence& serial = *v.serial;
  if (!serial.repair && !serial.max_retests) return;
  const std::uint64_t repaired = repaired_with(db, file, v);
  if (!serial.max_retests) return;
  serial.retests = serial.attempt - std::min(repaired, serial.attempt);
  if (*serial.retests <= *serial.max_retests || v.decision == Decision::invalid) return;
  v.decision = Decision::invalid;
  v.reason = Reason::serial;
  v.detail = fmt::format(
      "retest {} of {} without a repair, at most serial.max_retests = {} are allowed; repair it, and state "
      "that "
      "before its trigger (CONFigure:UNIT:REPair)",
      *serial.retests, v.unit_id, *serial.max_retests);
}

}  // namespace

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
  limit_retests(db, file, verdict);
  if (verdict.decision == Decision::invalid) return;
  sqlite::Statement keep(db, file, "INSERT OR REPLACE INTO serial_attempt VALUES (?1, ?2, ?3)");
  keep.bind(1, verdict.unit_id)
      .bind(2, verdict.recipe)
      .bind(3, static_cast<std::int64_t>(serial.attempt + 1));
  keep.step();
}

std::string words_of(const SerialEvidence& serial) {
  std::string text = fmt::format("by {}, attempt {}", serial.by, serial.attempt);
  if (serial.retests) text += fmt::format(", retest {} of at most {}", *serial.retests, *serial.max_retests);
  if (serial.repair) text += "; repaired: " + *serial.repair;
  return text;
}

}  // namespace datum
