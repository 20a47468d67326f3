#include "daemon/report/result_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "daemon/report/sqlite.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t application_id = 0x4454554d;  // "DTUM", in the file's header
constexpr std::int64_t schema_version = 1;
constexpr int busy_timeout_ms = 2000;  // a reader that checkpoints holds the file for milliseconds

// The counter is a row of its own, advanced in the transaction of the result: deleting results never frees a
// number.
constexpr const char* schema = R"sql(
  CREATE TABLE store (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, last_sequence INTEGER NOT NULL);
  CREATE TABLE result (
    sequence INTEGER PRIMARY KEY, measured_at TEXT NOT NULL, unit_id TEXT NOT NULL, recipe TEXT NOT NULL,
    decision INTEGER NOT NULL, reason TEXT NOT NULL, frame_id TEXT NOT NULL, frame_sha256 TEXT NOT NULL,
    json TEXT NOT NULL);
  CREATE INDEX result_frame ON result (frame_sha256, frame_id);
  CREATE INDEX result_decision ON result (decision, sequence);
)sql";

constexpr const char* columns =
    "SELECT sequence, measured_at, unit_id, recipe, decision, reason, frame_id, frame_sha256, json FROM "
    "result ";

std::string random_id() {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    throw StoreError(StoreError::Kind::io, "the kernel gives no random number for the store's id");
  return fmt::format("{:016x}", bits);
}

/// Held while this object lives; the kernel lets go when the process dies, however it dies.
class WriterLock {
 public:
  explicit WriterLock(const fs::path& store) {
    const fs::path path = store.string() + ".lock";
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0)
      throw StoreError(
          StoreError::Kind::io,
          fmt::format("{}: can't create the lock of the result store: {}; check that the folder exists "
                      "and may be written by this user",
                      path.string(), std::strerror(errno)));
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    ::close(fd_);
    throw StoreError(
        StoreError::Kind::locked,
        fmt::format("{}: another datumd writes to this store; end it, or give each daemon its own path",
                    store.string()));
  }
  ~WriterLock() { ::close(fd_); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  int fd_ = -1;
};

void create(sqlite3* db, const fs::path& file) {
  sqlite::execute(db, file, "BEGIN IMMEDIATE");
  sqlite::execute(db, file, schema);
  sqlite::Statement(db, file, "INSERT INTO store VALUES (1, ?1, 0)").bind(1, random_id()).step();
  sqlite::execute(db, file, fmt::format("PRAGMA application_id = {}", application_id).c_str());
  sqlite::execute(db, file, fmt::format("PRAGMA user_version = {}", schema_version).c_str());
  sqlite::execute(db, file, "COMMIT");
}

/// Refuses a file of another program, of a newer datumd, or (for a reader) one without content.
void check_schema(sqlite3* db, const fs::path& file, bool writer) {
  const auto owner = sqlite::query_integer(db, file, "PRAGMA application_id");
  const auto version = sqlite::query_integer(db, file, "PRAGMA user_version");
  const auto tables = sqlite::query_integer(db, file, "SELECT count(*) FROM sqlite_master");
  if (owner == 0 && version == 0 && tables == 0 && writer) return create(db, file);
  if (owner != application_id)
    throw StoreError(StoreError::Kind::not_a_store,
                     fmt::format("{}: an SQLite file, but not a result store of datumd; name another path",
                                 file.string()));
  if (version > schema_version)
    throw StoreError(StoreError::Kind::newer,
                     fmt::format("{}: schema version {}, this datumd knows up to {}; update datumd",
                                 file.string(), version, schema_version));
  if (version < 1)
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("{}: schema version {}, allowed: 1", file.string(), version));
}

}  // namespace

BoardVerdict StoredResult::verdict() const {
  try {
    return verdict_from_json(json);
  } catch (const std::runtime_error& e) {
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("result {}: its JSON is no verdict: {}", sequence, e.what()));
  }
}

struct ResultStore::Impl {
  using Statement = sqlite::Statement;
  fs::path file;
  std::unique_ptr<WriterLock> lock;  // null: reading only
  sqlite::Connection db;
  std::unique_ptr<Statement> begin, commit, next, insert;  // writer's
  std::unique_ptr<Statement> latest, get, by_frame, extent;

  std::unique_ptr<Statement> prepare(const char* sql) {
    return std::make_unique<Statement>(db.get(), file, sql);
  }
  void prepare_reads();
  void prepare_writes();
  std::uint64_t commit_one(BoardVerdict& verdict);
};

void ResultStore::Impl::prepare_reads() {
  latest = prepare((std::string(columns) + "ORDER BY sequence DESC LIMIT 1").c_str());
  get = prepare((std::string(columns) + "WHERE sequence = ?1").c_str());
  by_frame = prepare("SELECT max(sequence), count(*) FROM result WHERE frame_sha256 = ?1 AND frame_id = ?2");
  extent = prepare("SELECT count(*), min(sequence), max(sequence) FROM result");
}

void ResultStore::Impl::prepare_writes() {
  begin = prepare("BEGIN IMMEDIATE");
  commit = prepare("COMMIT");
  next = prepare("UPDATE store SET last_sequence = last_sequence + 1 WHERE one = 1 RETURNING last_sequence");
  insert = prepare("INSERT INTO result VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
}

ResultStore::ResultStore(const fs::path& file) : ResultStore(file, true) {}
ResultStore ResultStore::read_only(const fs::path& file) { return ResultStore(file, false); }
ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

ResultStore::ResultStore(const fs::path& file, bool writer) : impl_(std::make_unique<Impl>()) {
  if (!writer && !fs::exists(file))
    throw StoreError(
        StoreError::Kind::missing,
        fmt::format("{}: no result store there; datumd makes it with its first start", file.string()));
  impl_->file = file;
  if (writer) impl_->lock = std::make_unique<WriterLock>(file);
  impl_->db = sqlite::open(file, writer ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  sqlite3* db = impl_->db.get();
  sqlite3_busy_timeout(db, busy_timeout_ms);
  check_schema(db, file, writer);
  if (writer) {
    sqlite::execute(db, file, "PRAGMA journal_mode = WAL");
    sqlite::execute(db, file, "PRAGMA synchronous = FULL");
    impl_->prepare_writes();
  }
  impl_->prepare_reads();
  sqlite::Statement id(db, file, "SELECT id FROM store");
  if (!id.step())
    throw StoreError(StoreError::Kind::corrupt, file.string() + ": the store's own row is missing");
  id_ = id.text(0);
}

std::uint64_t ResultStore::Impl::commit_one(BoardVerdict& verdict) {
  sqlite::Run(*begin)->step();
  {
    sqlite::Run row(*next);
    if (!row->step())
      throw StoreError(StoreError::Kind::corrupt, file.string() + ": the store's own row is missing");
    verdict.sequence = static_cast<std::uint64_t>(row->integer(0));
    row->step();
  }
  {
    sqlite::Run row(*insert);
    row->bind(1, static_cast<std::int64_t>(verdict.sequence))
        .bind(2, verdict.measured_at)
        .bind(3, verdict.unit_id);
    row->bind(4, verdict.recipe)
        .bind(5, static_cast<std::int64_t>(verdict.decision))
        .bind(6, name_of(verdict.reason));
    row->bind(7, verdict.frame_id).bind(8, verdict.frame_sha256).bind(9, to_json(verdict)).step();
  }
  sqlite::Run(*commit)->step();
  return verdict.sequence;
}

std::uint64_t ResultStore::store(BoardVerdict& verdict) {
  if (!impl_->lock) throw std::logic_error("this result store was opened for reading");
  const auto sequence = verdict.sequence;
  auto id = std::exchange(verdict.store_id, id_);
  try {
    return impl_->commit_one(verdict);
  } catch (...) {
    verdict.sequence = sequence;
    verdict.store_id = std::move(id);
    // SQLite rolls back by itself on some errors; asking again then fails harmlessly.
    if (!sqlite3_get_autocommit(impl_->db.get()))
      sqlite3_exec(impl_->db.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

namespace {

StoredResult row_of(const sqlite::Statement& s, const std::string& id) {
  StoredResult r;
  r.store_id = id;
  r.sequence = static_cast<std::uint64_t>(s.integer(0));
  r.measured_at = s.text(1);
  r.unit_id = s.text(2);
  r.recipe = s.text(3);
  const auto decision = s.integer(4);
  if (decision < 0 || decision > static_cast<std::int64_t>(Decision::invalid))
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("result {}: decision {} is not known", r.sequence, decision));
  r.decision = static_cast<Decision>(decision);
  r.reason = s.text(5);
  r.frame_id = s.text(6);
  r.frame_sha256 = s.text(7);
  r.json = s.text(8);
  return r;
}

/// SQLite's integers are signed; no stored number is above that.
std::int64_t clamped(std::uint64_t n) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(n > most ? most : n);
}

}  // namespace

std::optional<StoredResult> ResultStore::latest() {
  sqlite::Run row(*impl_->latest);
  return row->step() ? std::optional(row_of(*impl_->latest, id_)) : std::nullopt;
}

std::optional<StoredResult> ResultStore::get(std::uint64_t sequence) {
  sqlite::Run row(*impl_->get);
  row->bind(1, clamped(sequence));
  return row->step() ? std::optional(row_of(*impl_->get, id_)) : std::nullopt;
}

std::vector<StoredResult> ResultStore::list(const ResultFilter& filter, std::uint64_t limit,
                                            ResultOrder order) {
  std::string sql = std::string(columns) + "WHERE sequence > ?1";
  if (filter.decision) sql += " AND decision = ?2";
  if (filter.recipe) sql += " AND recipe = ?3";
  if (filter.unit_id) sql += " AND unit_id = ?4";
  sql += order == ResultOrder::newest_first ? " ORDER BY sequence DESC" : " ORDER BY sequence";
  sql += " LIMIT ?5";
  sqlite::Statement rows(impl_->db.get(), impl_->file, sql.c_str());
  rows.bind(1, clamped(filter.after.value_or(0))).bind(5, clamped(limit));
  if (filter.decision) rows.bind(2, static_cast<std::int64_t>(*filter.decision));
  if (filter.recipe) rows.bind(3, *filter.recipe);
  if (filter.unit_id) rows.bind(4, *filter.unit_id);
  std::vector<StoredResult> out;
  while (rows.step()) out.push_back(row_of(rows, id_));
  return out;
}

std::optional<std::uint64_t> ResultStore::already_measured(const std::string& frame_id,
                                                           const std::string& sha256) {
  sqlite::Run row(*impl_->by_frame);
  row->bind(1, sha256).bind(2, frame_id);
  if (!row->step() || row->integer(1) == 0) return std::nullopt;
  return static_cast<std::uint64_t>(row->integer(0));
}

StoreExtent ResultStore::extent() {
  sqlite::Run row(*impl_->extent);
  row->step();
  return {static_cast<std::uint64_t>(row->integer(0)), static_cast<std::uint64_t>(row->integer(1)),
          static_cast<std::uint64_t>(row->integer(2)), id_};
}

}  // namespace datum
