#include "daemon/store/store_schema.h"

#include <fmt/format.h>
#include <sys/random.h>

#include "daemon/store/result_chain.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_sums.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t application_id = 0x4454554d;  // "DTUM", in the file header
constexpr std::uint64_t told_every = 256;            // migrated results between two reports of progress

// The counter is a row of its own, advanced in the transaction of the result: deletion of results never frees a number.
constexpr const char* tables = R"sql(
  CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, last_sequence INTEGER NOT NULL);
  CREATE TABLE result (
    sequence INTEGER PRIMARY KEY, measured_at TEXT NOT NULL, unit_id TEXT NOT NULL, recipe TEXT NOT NULL,
    decision INTEGER NOT NULL, reason TEXT NOT NULL, frame_id TEXT NOT NULL, frame_sha256 TEXT NOT NULL,
    json TEXT NOT NULL);
  CREATE INDEX result_frame ON result (frame_sha256, frame_id);
  CREATE INDEX result_decision ON result (decision, sequence);
)sql";

// A separate table, so that a migration rewrites no result. clock_utc: ResultStore::keep_clock.
constexpr const char* chain_table = R"sql(
  CREATE TABLE chain (link INTEGER PRIMARY KEY, sequence INTEGER, statement TEXT, sha256 TEXT NOT NULL);
  ALTER TABLE store ADD COLUMN clock_utc TEXT NOT NULL DEFAULT '';
)sql";

// A copy of the renewal statements, found without reading the chain.
constexpr const char* former_table =
    "CREATE TABLE former (link INTEGER PRIMARY KEY, id TEXT NOT NULL, last INTEGER NOT NULL, given INTEGER "
    "NOT "
    "NULL)";

/// Rolls back an uncommitted transaction.
class Transaction {
 public:
  Transaction(sqlite3* db, const fs::path& file) : db_(db), file_(file) {
    sqlite::execute(db_, file_, "BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (!sqlite3_get_autocommit(db_)) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    sqlite::execute(db_, file_, fmt::format("PRAGMA user_version = {}", store_schema).c_str());
    sqlite::execute(db_, file_, "COMMIT");
  }

 private:
  sqlite3* db_;
  const fs::path& file_;
};

void create(sqlite3* db, const fs::path& file, const StoreOpening& opening) {
  Transaction all(db, file);
  sqlite::execute(db, file, tables);
  sqlite::execute(db, file, chain_table);
  sqlite::execute(db, file, former_table);
  sqlite::execute(db, file, sums_tables);
  const std::string id = random_id();
  sqlite::Statement(db, file, "INSERT INTO store (one, id, last_sequence) VALUES (1, ?1, 0)")
      .bind(1, id)
      .step();
  append_statement(db, file, id, made_statement(opening.utc));
  sqlite::execute(db, file, fmt::format("PRAGMA application_id = {}", application_id).c_str());
  all.commit();
}

void migrate_from_2(sqlite3* db, const fs::path& file) {
  Transaction all(db, file);
  sqlite::execute(db, file, former_table);
  sqlite::execute(db, file, sums_tables);
  all.commit();
}

/// Results that were removed before are in no sum.
void migrate_from_3(sqlite3* db, const fs::path& file) {
  Transaction all(db, file);
  sqlite::execute(db, file, sums_tables);
  all.commit();
}

/// Creates an entry for every result, after a statement of the migration.
void migrate_from_1(sqlite3* db, const fs::path& file, const StoreOpening& opening) {
  Transaction all(db, file);
  sqlite::execute(db, file, chain_table);
  sqlite::execute(db, file, former_table);
  sqlite::execute(db, file, sums_tables);
  const auto count =
      static_cast<std::uint64_t>(sqlite::query_integer(db, file, "SELECT count(*) FROM result"));
  const std::string id = store_id_of(db, file);
  append_statement(db, file, id, migrated_statement(1, count, opening.utc));
  ChainEntry link = head_of(db, file);
  sqlite::Statement rows(db, file, (std::string(result_columns) + "ORDER BY sequence").c_str());
  sqlite::Statement insert(db, file, insert_link);
  for (std::uint64_t done = 0; rows.step(); ++done) {
    if (opening.progress && done % told_every == 0) opening.progress(done, count);
    append_result(insert, link, row_of(rows, id));
  }
  all.commit();
}

[[noreturn]] void refuse(StoreError::Kind kind, const std::string& what) { throw StoreError(kind, what); }

}  // namespace

std::string random_id() {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    throw StoreError(StoreError::Kind::io, "the kernel gives no random number for the store's id");
  return fmt::format("{:016x}", bits);
}

std::int64_t readable_schema(sqlite3* db, const fs::path& file) {
  const auto owner = sqlite::query_integer(db, file, "PRAGMA application_id");
  const auto version = sqlite::query_integer(db, file, "PRAGMA user_version");
  if (owner == 0 && version == 0 &&
      sqlite::query_integer(db, file, "SELECT count(*) FROM sqlite_master") == 0)
    refuse(StoreError::Kind::not_a_store,
           fmt::format(
               "{}: holds nothing: a store that datumd had just made, or a copy that was taken while datumd "
               "ran, without its -wal; 'datumctl backup' takes whole copies",
               file.string()));
  if (owner == what_if_application_id)
    refuse(StoreError::Kind::not_a_store,
           fmt::format("{}: what-if results of datumd-batch, which are never verdicts of record; name the "
                       "store of a cell",
                       file.string()));
  if (owner != application_id)
    refuse(StoreError::Kind::not_a_store,
           fmt::format("{}: an SQLite file, but not a result store of datumd; name another path",
                       file.string()));
  if (version > store_schema)
    refuse(StoreError::Kind::newer,
           fmt::format("{}: schema version {}, this datumd knows up to {}; update datumd", file.string(),
                       version, store_schema));
  if (version < 1)
    refuse(StoreError::Kind::corrupt,
           fmt::format("{}: schema version {}, allowed: 1 to {}", file.string(), version, store_schema));
  return version;
}

void prepare_schema(sqlite3* db, const fs::path& file, const StoreOpening& opening) {
  const auto objects = sqlite::query_integer(db, file, "SELECT count(*) FROM sqlite_master");
  if (objects == 0 && sqlite::query_integer(db, file, "PRAGMA application_id") == 0 &&
      sqlite::query_integer(db, file, "PRAGMA user_version") == 0)
    return create(db, file, opening);
  const std::int64_t schema = readable_schema(db, file);
  if (schema == 1) migrate_from_1(db, file, opening);
  if (schema == 2) migrate_from_2(db, file);
  if (schema == 3) migrate_from_3(db, file);
}

}  // namespace datum
