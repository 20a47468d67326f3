#include "daemon/store/result_store.h"

#include <fmt/format.h>

#include <atomic>
#include <tuple>
#include <utility>

#include "daemon/store/act_records.h"
#include "daemon/store/late_checkpoint.h"
#include "daemon/store/recipe_archive.h"
#include "daemon/store/serial_attempts.h"
#include "daemon/store/signed_heads.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/store_lock.h"
#include "daemon/store/store_mark.h"
#include "daemon/store/store_presence.h"
#include "daemon/store/store_removal.h"
#include "daemon/store/store_renewal.h"
#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"
#include "daemon/store/store_sums.h"
#include "daemon/store/wal_room.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr int busy_timeout_ms = 2000;  // a reader that checkpoints locks the file for milliseconds
// Bytes to which the WAL is truncated at a checkpoint after it grew behind a slow reader.
constexpr int most_wal_bytes = 16 << 20;

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
  std::unique_ptr<StoreLock> lock;  // null: read-only
  sqlite::Connection db;
  std::unique_ptr<Statement> begin, commit, next, insert, chain_head, link;  // of the writer
  std::unique_ptr<Statement> latest, get, by_frame, extent;

  std::unique_ptr<Statement> prepare(const char* sql) {
    return std::make_unique<Statement>(db.get(), file, sql);
  }
  bool has_chain = true, has_former = true;
  std::vector<FormerId> former;
  std::unique_ptr<StoreMark> mark;  // null: read-only
  std::unique_ptr<RecipeArchive> recipes;
  std::unique_ptr<StorePresence> presence;
  std::string head_sha256;               // of the last stored result
  std::atomic<bool> mark_failed{false};  // read by other threads
  std::unique_ptr<LateCheckpoint> checkpoint;

  void open(int flags);
  void demand_writer() const {
    if (!lock) throw std::logic_error("this result store was opened for reading");
  }
  void demand_writable() const {
    demand_writer();
    presence->check();
  }
  void prepare_reads();
  void prepare_writes();
  void insert_result(BoardVerdict& verdict);
  void commit_all(const std::vector<BoardVerdict*>& verdicts, const std::vector<RecipeText>& texts);
  StoredResult known_row(const Statement& row, const std::string& id) const {
    return known_row_of(row, id_at_sequence(former, static_cast<std::uint64_t>(row.integer(0)), id));
  }
};

void ResultStore::Impl::prepare_reads() {
  latest = prepare((std::string(result_columns) + "ORDER BY sequence DESC LIMIT 1").c_str());
  get = prepare((std::string(result_columns) + "WHERE sequence = ?1").c_str());
  by_frame = prepare("SELECT max(sequence), count(*) FROM result WHERE frame_sha256 = ?1 AND frame_id = ?2");
  extent = prepare(
      "SELECT (SELECT min(sequence) FROM result), (SELECT max(sequence) FROM result), (SELECT id FROM "
      "store), "
      "(SELECT last_sequence FROM store)");
  if (has_former) former = former_ids_of(db.get(), file);
}

void ResultStore::Impl::prepare_writes() {
  begin = prepare("BEGIN IMMEDIATE");
  commit = prepare("COMMIT");
  next = prepare("UPDATE store SET last_sequence = last_sequence + 1 WHERE one = 1 RETURNING last_sequence");
  insert = prepare("INSERT INTO result VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  chain_head = prepare(head_link);
  link = prepare(insert_link);
  recipes = std::make_unique<RecipeArchive>(db.get(), file);
}

ResultStore ResultStore::read_only(const fs::path& file) { return {file, Reading()}; }
ResultStore::~ResultStore() = default;
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;

ResultStore::ResultStore(const fs::path& file, const StoreOpening& opening)
    : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  impl_->lock = std::make_unique<StoreLock>(file);
  impl_->open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3* db = impl_->db.get();
  const std::int64_t schema = sqlite::query_integer(db, file, "PRAGMA user_version");
  impl_->mark = std::make_unique<StoreMark>(file);
  // A migrated store must have a mark.
  if (schema > 0 && readable_schema(db, file) < 3 && !impl_->mark->found())
    impl_->mark->keep({store_id_of(db, file), last_given(db, file), ""});
  prepare_schema(db, file, opening);
  sqlite::execute(db, file, "PRAGMA journal_mode = WAL");
  sqlite::execute(db, file, "PRAGMA synchronous = FULL");
  sqlite::execute(db, file, fmt::format("PRAGMA journal_size_limit = {}", most_wal_bytes).c_str());
  impl_->checkpoint = std::make_unique<LateCheckpoint>(db);
  if (const auto found = find_set_back(db, file, schema, impl_->mark->found(), opening))
    renewed_ = renew_store(db, file, *impl_->mark, *found, opening.utc);
  impl_->prepare_writes();
  impl_->prepare_reads();
  id_ = store_id_of(db, file);
  const std::uint64_t given = last_given(db, file);
  impl_->mark->keep({id_, given, chain_sha256(given)});
  make_wal_room(file);
  impl_->presence = std::make_unique<StorePresence>(file);
}

Renewal ResultStore::renew(const HeldPosition& held, const std::string& utc) {
  impl_->demand_writer();
  sqlite3* db = impl_->db.get();
  const Renewal renewal =
      renew_store(db, impl_->file, *impl_->mark, set_back_by(held, last_given(db, impl_->file)), utc);
  id_ = renewal.id;
  impl_->former = former_ids_of(db, impl_->file);
  return renewal;
}

ResultStore::ResultStore(const fs::path& file, Reading) : impl_(std::make_unique<Impl>()) {
  if (!fs::exists(file))
    throw StoreError(
        StoreError::Kind::missing,
        fmt::format("{}: no result store there; datumd makes it with its first start", file.string()));
  impl_->file = file;
  impl_->open(SQLITE_OPEN_READONLY);
  const std::int64_t schema = readable_schema(impl_->db.get(), file);
  impl_->has_chain = schema >= 2;
  impl_->has_former = schema >= 3;
  impl_->prepare_reads();
  id_ = store_id_of(impl_->db.get(), file);
  impl_->presence = std::make_unique<StorePresence>(file);
}

void ResultStore::check_present() const { impl_->presence->check(); }

void ResultStore::Impl::open(int flags) {
  db = sqlite::open(file, flags);
  sqlite3_busy_timeout(db.get(), busy_timeout_ms);
}

/// Within a transaction.
void ResultStore::Impl::insert_result(BoardVerdict& verdict) {
  {
    sqlite::Run row(*next);
    if (!row->step())
      throw StoreError(StoreError::Kind::corrupt, file.string() + ": the store's own row is missing");
    verdict.sequence = static_cast<std::uint64_t>(row->integer(0));
    row->step();
  }
  if (verdict.serial) number_attempt(db.get(), file, verdict);
  const StoredResult r = row_of(verdict, to_json(verdict));
  {
    sqlite::Run row(*insert);
    row->bind(1, static_cast<std::int64_t>(r.sequence)).bind(2, r.measured_at).bind(3, r.unit_id);
    row->bind(4, r.recipe).bind(5, static_cast<std::int64_t>(r.decision)).bind(6, r.reason);
    row->bind(7, r.frame_id).bind(8, r.frame_sha256).bind(9, r.json).step();
  }
  ChainEntry before{0, 0, "", std::string(chain_begin)};
  {
    sqlite::Run row(*chain_head);
    if (row->step()) before = link_of(*chain_head);
  }
  append_result(*link, before, r);
  head_sha256 = before.sha256;
}

void ResultStore::Impl::commit_all(const std::vector<BoardVerdict*>& verdicts,
                                   const std::vector<RecipeText>& texts) {
  sqlite::Run(*begin)->step();
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    insert_result(*verdicts[i]);
    if (i < texts.size()) recipes->keep(texts[i], verdicts[i]->sequence);
  }
  const LateCheckpoint::Awaited awaited(*checkpoint);
  sqlite::Run(*commit)->step();
}

std::uint64_t ResultStore::store(BoardVerdict& verdict) {
  store(std::vector<BoardVerdict*>{&verdict});
  return verdict.sequence;
}

void ResultStore::store(const std::vector<BoardVerdict*>& verdicts, const std::vector<RecipeText>& recipes) {
  impl_->demand_writer();
  if (verdicts.empty()) return;
  std::vector<std::pair<std::uint64_t, std::string>> before;
  for (BoardVerdict* verdict : verdicts)
    before.emplace_back(verdict->sequence, std::exchange(verdict->store_id, id_));
  try {
    impl_->presence->check();
    impl_->commit_all(verdicts, recipes);
    impl_->presence->check();  // its files may have been removed meanwhile
    if (!impl_->mark->advance(verdicts.back()->sequence, impl_->head_sha256)) impl_->mark_failed = true;
  } catch (...) {
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      std::tie(verdicts[i]->sequence, verdicts[i]->store_id) = std::move(before[i]);
    // SQLite rolls back by itself on some errors; a second rollback then fails harmlessly.
    if (!sqlite3_get_autocommit(impl_->db.get()))
      sqlite3_exec(impl_->db.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    impl_->recipes->forget();
    throw;
  }
}

std::optional<std::string> ResultStore::recipe_text(const std::string& sha256) {
  return archived_recipe(impl_->db.get(), impl_->file, sha256);
}

void ResultStore::state(const std::vector<std::string>& statements) {
  impl_->demand_writable();
  sqlite3* db = impl_->db.get();
  sqlite::execute(db, impl_->file, "BEGIN IMMEDIATE");
  try {
    for (const std::string& statement : statements) append_once(db, impl_->file, id_, statement);
    sqlite::execute(db, impl_->file, "COMMIT");
  } catch (...) {
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void ResultStore::keep_checks(const std::vector<CheckRecord>& records) {
  impl_->demand_writable();
  keep_check_records(impl_->db.get(), impl_->file, id_, records);
}

void ResultStore::keep_charts(const std::vector<ChartRecord>& records, std::uint64_t watched,
                              const std::vector<ChartCheckpoint>& checkpoints) {
  impl_->demand_writable();
  keep_chart_records(impl_->db.get(), impl_->file, id_, records, watched, checkpoints);
}

void ResultStore::keep_signed(const std::vector<SignedHead>& heads) {
  impl_->demand_writable();
  keep_signed_heads(impl_->db.get(), impl_->file, heads);
}

void ResultStore::keep_times(const std::vector<ResultTimes>& times) {
  impl_->demand_writable();
  keep_result_times(impl_->db.get(), impl_->file, times);
}

bool ResultStore::checkpoint_due() {
  impl_->demand_writer();
  return impl_->checkpoint->due();
}

void ResultStore::checkpoint(const fs::path& file) {
  const sqlite::Connection db = sqlite::open(file, SQLITE_OPEN_READWRITE);
  sqlite::execute(db.get(), file, "PRAGMA synchronous = FULL");
  sqlite::execute(db.get(), file, "PRAGMA wal_checkpoint(PASSIVE)");
}

std::optional<std::string> ResultStore::times(std::uint64_t sequence) {
  return result_times_of(impl_->db.get(), impl_->file, sequence);
}

std::optional<std::string> ResultStore::signed_head() {
  return newest_signed_head(impl_->db.get(), impl_->file);
}

std::optional<StoredResult> ResultStore::latest() {
  sqlite::Run row(*impl_->latest);
  return row->step() ? std::optional(impl_->known_row(*impl_->latest, id_)) : std::nullopt;
}

std::optional<StoredResult> ResultStore::get(std::uint64_t sequence) {
  sqlite::Run row(*impl_->get);
  row->bind(1, sql_number(sequence));
  return row->step() ? std::optional(impl_->known_row(*impl_->get, id_)) : std::nullopt;
}

std::vector<StoredResult> ResultStore::list(const ResultFilter& filter, std::uint64_t limit,
                                            ResultOrder order) {
  const auto rows = rows_of(impl_->db.get(), impl_->file, filter, limit, order);
  std::vector<StoredResult> out;
  while (rows->step()) out.push_back(impl_->known_row(*rows, id_));
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
  StoreExtent have;
  have.first = static_cast<std::uint64_t>(row->integer(0));
  have.last = static_cast<std::uint64_t>(row->integer(1));
  have.store_id = impl_->extent->text(2);
  have.given = static_cast<std::uint64_t>(row->integer(3));
  if (have.store_id != id_) {  // the writer changed the id
    id_ = have.store_id;
    if (impl_->has_former) impl_->former = former_ids_of(impl_->db.get(), impl_->file);
  }
  have.former = impl_->former;
  have.count = have.last == 0 ? 0 : 1;  // input of count_above()
  have.count = have.last == 0 ? 0 : have.count_above(have.first - 1);
  return have;
}

std::optional<ChainEntry> ResultStore::head() {
  if (!impl_->has_chain) return std::nullopt;
  return head_of(impl_->db.get(), impl_->file);
}

std::string ResultStore::chain_sha256(std::uint64_t sequence) {
  return impl_->has_chain ? chain_sha256_of(impl_->db.get(), impl_->file, impl_->former, sequence) : "";
}

Removal ResultStore::remove_oldest(const RemovalOrder& order) {
  impl_->demand_writer();
  const Removal removal = datum::remove_oldest(impl_->db.get(), impl_->file, id_, impl_->former, order);
  impl_->recipes->forget();
  if (!impl_->former.empty()) impl_->former = former_ids_of(impl_->db.get(), impl_->file);
  return removal;
}

quality::SeriesBefore ResultStore::removed_series(const ResultFilter& filter) {
  return read_sums(impl_->db.get(), impl_->file, filter);
}

ResultStore::Snapshot::Snapshot(ResultStore& store) : store_(store) {
  sqlite::execute(store.impl_->db.get(), store.impl_->file, "BEGIN");
}
ResultStore::Snapshot::~Snapshot() {
  sqlite3_exec(store_.impl_->db.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

bool ResultStore::mark_failed() const { return impl_->mark_failed; }

std::uint64_t ResultStore::used_bytes() {
  const auto ask = [&](const char* pragma) {
    return sqlite::query_integer(impl_->db.get(), impl_->file, pragma);
  };
  return static_cast<std::uint64_t>((ask("PRAGMA page_count") - ask("PRAGMA freelist_count")) *
                                    ask("PRAGMA page_size"));
}

std::string ResultStore::kept_clock() {
  if (!impl_->has_chain) return "";
  sqlite::Statement row(impl_->db.get(), impl_->file, "SELECT clock_utc FROM store");
  return row.step() ? row.text(0) : "";
}

void ResultStore::keep_clock(const std::string& utc) {
  impl_->demand_writer();
  sqlite::Statement(impl_->db.get(), impl_->file, "UPDATE store SET clock_utc = ?1").bind(1, utc).step();
}

}  // namespace datum
