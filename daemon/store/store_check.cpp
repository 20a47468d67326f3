#include "daemon/store/store_check.h"

#include <fmt/format.h>

#include <fstream>

#include "daemon/store/store_backup.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// True: the file's header demands a WAL, and there is none; a reader would create an empty one.
bool lacks_wal(const fs::path& store) {
  constexpr std::streamoff write_version = 18;  // offset in SQLite's file format; 2 is WAL
  std::ifstream header(store, std::ios::binary);
  header.seekg(write_version);
  std::error_code none;
  const auto wal_bytes = fs::file_size(store.string() + "-wal", none);
  return header.get() == 2 && (none || wal_bytes == 0);
}

StoreStanding standing_of_backup(const BackupNote& note, const ChainReport& report) {
  StoreStanding standing;
  if (report.head.link == note.head.link && report.head.sha256 == note.head.sha256)
    standing.vouched = fmt::format("a backup of {}: it has all results up to {}", note.utc, note.given);
  else
    standing.fault = fmt::format("the backup of {} was made with link {} as the newest, {} is", note.utc,
                                 note.head.link, report.head.link);
  return standing;
}

StoreStanding standing_by_mark(sqlite3* db, const fs::path& store, const Mark& mark, std::uint64_t marked,
                               const ChainReport& report) {
  StoreStanding standing;
  const MarkedPlace& place = mark.place;
  if (marked > report.given) {
    standing.fault = fmt::format(
        "the mark beside it knows results up to {}: it was set back, or its -wal is missing; datumd gives it "
        "another id",
        marked);
    return standing;
  }
  sqlite::Statement row(db, store, "SELECT sha256 FROM chain WHERE sequence = ?1");
  row.bind(1, static_cast<std::int64_t>(place.given));
  if (place.store_id == report.store_id && !place.sha256.empty() && row.step() && row.text(0) != place.sha256)
    standing.fault = fmt::format(
        "result {} is not the one that the mark beside it knows: another branch of the "
        "store took its place",
        place.given);
  else
    standing.vouched = fmt::format("the mark beside it agrees, up to result {}", marked);
  if (mark.copied)
    standing.unknown =
        "the mark is a copy: store and mark may have been put back together, only hosts can show it";
  return standing;
}

}  // namespace

StoreStanding standing_of(const fs::path& store, const std::optional<Mark>& mark, const ChainReport& report) {
  const sqlite::Connection db = sqlite::open(store, SQLITE_OPEN_READONLY);
  sqlite3_busy_timeout(db.get(), 2000);
  if (const auto note = backup_note_of(db.get(), store)) return standing_of_backup(*note, report);
  if (const auto marked = mark ? mark->given(report.store_id) : std::nullopt)
    return standing_by_mark(db.get(), store, *mark, *marked, report);
  StoreStanding standing;
  standing.unknown = "no mark beside it knows this store: whether newer results are missing is not known";
  if (lacks_wal(store))
    standing.unknown +=
        "; it has no -wal: a copy that was taken without it while datumd ran lacks what was in it ('datumctl "
        "backup' takes whole copies)";
  if (report.results == 0) standing.unknown += "; a store that was just made looks the same";
  standing.enough = report.results > 0 && readable_schema(db.get(), store) < 3;
  return standing;
}

}  // namespace datum
