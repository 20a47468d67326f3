#include "daemon/store/store_renewal.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/store/store_backup.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

std::string hash_of(sqlite3* db, const fs::path& file, std::uint64_t sequence) {
  sqlite::Statement row(db, file, "SELECT sha256 FROM chain WHERE sequence = ?1");
  row.bind(1, static_cast<std::int64_t>(sequence));
  return row.step() ? row.text(0) : "";
}

/// Why the mark does not confirm a store that has given numbers up to `last`; empty: it does.
std::string doubt_of(sqlite3* db, const fs::path& file, const std::string& id, std::uint64_t last,
                     const std::optional<Mark>& mark) {
  const auto given = mark ? mark->given(id) : std::nullopt;
  if (!given) return last == 0 ? "" : "it is a copy: the mark beside it is missing, or of another store";
  if (*given > last)
    return fmt::format("it was set back: results up to {} were announced, it ends with {}", *given, last);
  if (mark->copied) return "it is a copy: the mark beside it was copied with it";
  const MarkedPlace& place = mark->place;
  if (place.store_id != id || place.sha256.empty()) return "";
  const std::string sha256 = hash_of(db, file, place.given);
  if (sha256.empty() || sha256 == place.sha256) return "";
  return fmt::format("it is another branch: result {} is not the one that was announced", place.given);
}

}  // namespace

SetBack set_back_by(const HeldPosition& held, std::uint64_t last_given) {
  const bool credible = held.sequence - last_given <= most_skipped;
  return {credible ? held.sequence : last_given,
          fmt::format("it was set back: {} has results up to {}, it ends with {}", held.who, held.sequence,
                      last_given)};
}

std::optional<SetBack> find_set_back(sqlite3* db, const fs::path& file, std::int64_t schema,
                                     const std::optional<Mark>& mark, const StoreOpening& opening) {
  const std::string id = store_id_of(db, file);
  const std::uint64_t last = last_given(db, file);
  const HeldPosition held = opening.held ? opening.held(id) : HeldPosition{};
  const bool had_mark = schema >= 3 || (mark && mark->given(id));
  SetBack found{last, ""};
  if (mark) found.given = std::max(found.given, mark->given(id).value_or(0));
  if (held.sequence > found.given) found = set_back_by(held, last);
  if (const std::string doubt = had_mark ? doubt_of(db, file, id, last, mark) : ""; !doubt.empty())
    found.why = doubt;
  if (const auto backup = backup_note_of(db, file))
    found.why = fmt::format("it was put back from the backup of {}, which ends with {}", backup->utc, last);
  return found.why.empty() ? std::nullopt : std::optional(found);
}

Renewal renew_store(sqlite3* db, const fs::path& file, StoreMark& mark, const SetBack& found,
                    const std::string& utc) {
  const Renewal renewal{store_id_of(db, file), random_id(), last_given(db, file),
                        found.given,           found.why,   utc};
  mark.keep({renewal.id, renewal.given, ""});
  sqlite::execute(db, file, "BEGIN IMMEDIATE");
  try {
    append_statement(db, file, renewal.former_id, to_statement(renewal));
    sqlite::Statement former(db, file, "INSERT INTO former VALUES (?1, ?2, ?3, ?4)");
    former.bind(1, static_cast<std::int64_t>(head_of(db, file).link)).bind(2, renewal.former_id);
    former.bind(3, static_cast<std::int64_t>(renewal.last));
    former.bind(4, static_cast<std::int64_t>(renewal.given)).step();
    sqlite::Statement store(db, file, "UPDATE store SET id = ?1, last_sequence = ?2");
    store.bind(1, renewal.id).bind(2, static_cast<std::int64_t>(renewal.given)).step();
    sqlite::execute(db, file, "DROP TABLE IF EXISTS copy");
    sqlite::execute(db, file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  return renewal;
}

}  // namespace datum
