#include "daemon/view/result_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "daemon/view/summary_rows.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t index_form = 6;
constexpr int index_busy_ms = 200;
constexpr std::size_t day_digits = 10;

constexpr const char* tables = R"sql(
  CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), store_id TEXT NOT NULL, last INTEGER NOT NULL,
                         first INTEGER NOT NULL);
  INSERT INTO progress VALUES (1, '', 0, 0);
  CREATE TABLE board (sequence INTEGER PRIMARY KEY, measured_at TEXT NOT NULL, unit_id TEXT NOT NULL,
                      recipe TEXT NOT NULL, decision INTEGER NOT NULL, artefact INTEGER NOT NULL);
  CREATE INDEX board_unit ON board (unit_id, sequence) WHERE unit_id <> '';
  CREATE INDEX board_recipe ON board (recipe, measured_at);
  CREATE INDEX board_time ON board (measured_at);
  CREATE TABLE series (id INTEGER PRIMARY KEY, recipe TEXT NOT NULL, reference TEXT NOT NULL, what TEXT NOT NULL,
                       UNIQUE (recipe, reference, what));
  CREATE TABLE day (series INTEGER NOT NULL, day TEXT NOT NULL, pass INTEGER NOT NULL, inconclusive INTEGER NOT NULL,
                    fail INTEGER NOT NULL, invalid INTEGER NOT NULL, n INTEGER NOT NULL, sum REAL NOT NULL, least REAL,
                    most REAL, PRIMARY KEY (series, day)) WITHOUT ROWID;
  CREATE TABLE calibration (id TEXT NOT NULL, sha256 TEXT NOT NULL, results INTEGER NOT NULL, first INTEGER NOT NULL,
                            first_at TEXT NOT NULL, last INTEGER NOT NULL, last_at TEXT NOT NULL,
                            PRIMARY KEY (id, sha256)) WITHOUT ROWID;
  CREATE TABLE panel_unit (unit_id TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (unit_id, sequence)) WITHOUT ROWID;
  CREATE INDEX panel_sequence ON panel_unit (sequence);
  CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
  CREATE TABLE summary (sequence INTEGER PRIMARY KEY, why TEXT NOT NULL, parts BLOB NOT NULL);
)sql";

/// What it holds can be read again from the store: no commit waits for the disk.
void prepare(sqlite3* db, const fs::path& file) {
  sqlite3_busy_timeout(db, index_busy_ms);
  sqlite::execute(db, file, "PRAGMA journal_mode = WAL");
  sqlite::execute(db, file, "PRAGMA synchronous = OFF");
}

void remove_files(const fs::path& file) {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(file.string() + ending, ignored);
}

IndexedBoard board_of(const sqlite::Statement& row) {
  return {static_cast<std::uint64_t>(row.integer(0)), row.text(1),        row.text(2), row.text(3),
          static_cast<Decision>(row.integer(4) & 3),  row.integer(5) != 0};
}

/// Adds results by statements that are prepared once.
class Batch {
 public:
  Batch(sqlite3* db, const fs::path& file)
      : board_(db, file, "INSERT OR REPLACE INTO board VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
        series_(db, file, "INSERT OR IGNORE INTO series (recipe, reference, what) VALUES (?1, ?2, ?3)"),
        id_(db, file, "SELECT id FROM series WHERE recipe = ?1 AND reference = ?2 AND what = ?3"),
        day_(db, file,
             "INSERT INTO day VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7, ?7) ON CONFLICT DO UPDATE SET pass "
             "= pass + ?3, "
             "inconclusive = inconclusive + ?4, fail = fail + ?5, invalid = invalid + ?6, n = n + 1, sum = "
             "sum + ?7, "
             "least = min(ifnull(least, ?7), ?7), most = max(ifnull(most, ?7), ?7)"),
        day_invalid_(db, file,
                     "INSERT INTO day VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, NULL, NULL) ON CONFLICT DO "
                     "UPDATE SET pass = pass "
                     "+ ?3, inconclusive = inconclusive + ?4, fail = fail + ?5, invalid = invalid + ?6"),
        calibration_(
            db, file,
            "INSERT INTO calibration VALUES (?1, ?2, 1, ?3, ?4, ?3, ?4) ON CONFLICT DO UPDATE SET results = "
            "results + 1, last = ?3, last_at = ?4"),
        panel_(db, file, "INSERT OR IGNORE INTO panel_unit VALUES (?1, ?2)"),
        summaries_(db, file) {}

  void add(const StoredResult& r) {
    const auto sequence = static_cast<std::int64_t>(r.sequence);
    const ReadResult read = read_result(r);
    sqlite::Run board(board_);
    board->bind(1, sequence).bind(2, r.measured_at).bind(3, r.unit_id).bind(4, r.recipe);
    board->bind(5, static_cast<std::int64_t>(r.decision));
    board->bind(6, std::int64_t{read.verdict && is_artefact(*read.verdict)}).step();
    summaries_.add(r, read);
    if (!read.verdict) return;  // its page says so; it has no values
    const BoardVerdict& v = *read.verdict;
    if (!is_artefact(v))  // of a reference check: no product's values
      for (const ComponentVerdict& c : v.components)
        for (const CheckVerdict& check : c.checks) add_check(r, c.reference, check);
    add_panel(r, v);
    sqlite::Run use(calibration_);
    use->bind(1, v.calibration).bind(2, v.calibration_sha256).bind(3, sequence).bind(4, r.measured_at).step();
  }

 private:
  std::int64_t id_of(const std::string& recipe, const std::string& reference, const std::string& what) {
    const auto [at, is_new] = ids_.try_emplace({recipe, reference, what}, 0);
    if (!is_new) return at->second;
    sqlite::Run series(series_);
    series->bind(1, recipe).bind(2, reference).bind(3, what).step();
    sqlite::Run id(id_);
    id->bind(1, recipe).bind(2, reference).bind(3, what).step();
    return at->second = id_.integer(0);
  }

  void add_panel(const StoredResult& r, const BoardVerdict& v) {
    for (const PanelBoard& b : v.boards) {
      if (b.unit_id.empty()) continue;
      sqlite::Run place(panel_);
      place->bind(1, b.unit_id).bind(2, static_cast<std::int64_t>(r.sequence)).step();
    }
  }

  void add_check(const StoredResult& r, const std::string& reference, const CheckVerdict& check) {
    const std::int64_t series = id_of(r.recipe, reference, name_of(check.check.characteristic));
    const bool measured = check.decision != Decision::invalid && std::isfinite(check.value);
    sqlite::Run day(measured ? day_ : day_invalid_);
    day->bind(1, series).bind(2, r.measured_at.substr(0, day_digits));
    for (int d = 0; d < 4; ++d) day->bind(3 + d, std::int64_t{static_cast<int>(check.decision) == d});
    if (measured) day->bind_real(7, check.value);
    day->step();
  }

  sqlite::Statement board_, series_, id_, day_, day_invalid_, calibration_, panel_;
  SummaryWriter summaries_;
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> ids_;
};

}  // namespace

ResultIndex::ResultIndex(const fs::path& file, Access access) : file_(file) {
  if (access == Access::reading) {
    db_ = sqlite::open(file_, SQLITE_OPEN_READONLY);
    sqlite3_busy_timeout(db_.get(), index_busy_ms);
    return;
  }
  try {
    make();
  } catch (const StoreError&) {  // damaged, or no file of SQLite's
    db_.reset();
    remove_files(file_);
    make();
  }
}

void ResultIndex::make() {
  db_ = sqlite::open(file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  prepare(db_.get(), file_);
  if (sqlite::query_integer(db_.get(), file_, "PRAGMA user_version") == index_form) return;
  db_.reset();
  remove_files(file_);
  db_ = sqlite::open(file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  prepare(db_.get(), file_);
  sqlite::execute(db_.get(), file_, "BEGIN");
  sqlite::execute(db_.get(), file_, tables);
  sqlite::execute(db_.get(), file_, fmt::format("PRAGMA user_version = {}", index_form).c_str());
  sqlite::execute(db_.get(), file_, "COMMIT");
}

void ResultIndex::begin_anew(const std::string& store_id) {
  for (const char* table : {"board", "series", "day", "calibration", "panel_unit", "word", "summary"})
    sqlite::execute(db_.get(), file_, fmt::format("DELETE FROM {}", table).c_str());
  sqlite::Statement row(db_.get(), file_, "UPDATE progress SET store_id = ?1, last = 0, first = 0");
  row.bind(1, store_id).step();
}

std::size_t ResultIndex::take(ResultReader& store, std::size_t most) {
  sqlite::execute(db_.get(), file_, "BEGIN IMMEDIATE");
  try {
    Progress now = progress();
    const auto extent = store.extent();
    // A store that was set back has another id; its older results keep theirs, and the index begins anew.
    if (now.store_id != store.store_id() || now.last > extent.last) {
      begin_anew(store.store_id());
      now = progress();
    }
    remove_below(extent.first);
    const auto results = store.oldest_after(now.last, most);
    {
      Batch batch(db_.get(), file_);
      for (const StoredResult& r : results) batch.add(r);
    }
    if (!results.empty()) {
      sqlite::Statement row(db_.get(), file_, "UPDATE progress SET last = ?1");
      row.bind(1, static_cast<std::int64_t>(results.back().sequence)).step();
    }
    if (!store.steady()) throw StoreError(StoreError::Kind::locked, "the store changed meanwhile");
    sqlite::execute(db_.get(), file_, "COMMIT");
    return results.size();
  } catch (...) {
    sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void ResultIndex::remove_below(std::uint64_t first) {
  const auto known =
      static_cast<std::uint64_t>(sqlite::query_integer(db_.get(), file_, "SELECT first FROM progress"));
  if (first <= known) return;
  for (const char* sql : {"DELETE FROM board WHERE sequence < ?1", "DELETE FROM summary WHERE sequence < ?1",
                          "DELETE FROM panel_unit WHERE sequence < ?1"}) {
    sqlite::Statement rows(db_.get(), file_, sql);
    rows.bind(1, static_cast<std::int64_t>(first)).step();
  }
  if (known > 0) {  // days that lie wholly before the oldest result
    sqlite::Statement days(db_.get(), file_,
                           "DELETE FROM day WHERE day < (SELECT substr(measured_at, 1, 10) FROM board ORDER "
                           "BY sequence LIMIT 1)");
    days.step();
  }
  sqlite::Statement row(db_.get(), file_, "UPDATE progress SET first = ?1");
  row.bind(1, static_cast<std::int64_t>(first)).step();
}

ResultIndex::Progress ResultIndex::progress() {
  sqlite::Statement row(db_.get(), file_, "SELECT store_id, last FROM progress");
  if (!row.step()) return {};
  return {row.text(0), static_cast<std::uint64_t>(row.integer(1))};
}

std::vector<IndexedBoard> ResultIndex::oldest_after(std::uint64_t after, std::size_t most) {
  sqlite::Statement rows(db_.get(), file_,
                         "SELECT * FROM board WHERE sequence > ?1 ORDER BY sequence LIMIT ?2");
  rows.bind(1, static_cast<std::int64_t>(after)).bind(2, static_cast<std::int64_t>(most));
  std::vector<IndexedBoard> found;
  while (rows.step()) found.push_back(board_of(rows));
  return found;
}

std::vector<IndexedBoard> ResultIndex::by_unit(const std::string& unit, std::size_t most) {
  std::vector<IndexedBoard> found;
  // Of equal beginnings: from the text itself to the text behind all that begin with it. Units by themselves, then as boards of panels.
  for (const char* sql :
       {"SELECT * FROM board WHERE unit_id = ?1 AND unit_id <> '' ORDER BY sequence DESC LIMIT ?2",
        "SELECT * FROM board WHERE unit_id > ?1 AND unit_id <> '' AND unit_id < ?1 || char(1114111) "
        "ORDER BY unit_id, sequence DESC LIMIT ?2",
        "SELECT board.* FROM panel_unit AS p JOIN board USING (sequence) WHERE p.unit_id = ?1 "
        "ORDER BY sequence DESC LIMIT ?2",
        "SELECT board.* FROM panel_unit AS p JOIN board USING (sequence) WHERE p.unit_id > ?1 "
        "AND p.unit_id < ?1 || char(1114111) ORDER BY p.unit_id, sequence DESC LIMIT ?2"}) {
    sqlite::Statement rows(db_.get(), file_, sql);
    rows.bind(1, unit).bind(2, static_cast<std::int64_t>(most - found.size()));
    while (rows.step())
      if (const IndexedBoard b = board_of(rows);
          std::none_of(found.begin(), found.end(), [&](const auto& f) { return f.sequence == b.sequence; }))
        found.push_back(b);
  }
  return found;
}

std::vector<std::uint64_t> ResultIndex::choice(const std::string& recipe, const std::string& from,
                                               const std::string& before, std::size_t most) {
  std::string sql = "SELECT sequence FROM board WHERE measured_at >= ?1 AND artefact = 0";
  if (!before.empty()) sql += " AND measured_at < ?2";
  if (!recipe.empty()) sql += " AND recipe = ?3";
  sqlite::Statement rows(db_.get(), file_, (sql + " ORDER BY measured_at DESC LIMIT ?4").c_str());
  rows.bind(1, from).bind(4, static_cast<std::int64_t>(most));
  if (!before.empty()) rows.bind(2, before);
  if (!recipe.empty()) rows.bind(3, recipe);
  std::vector<std::uint64_t> found;
  while (rows.step()) found.push_back(static_cast<std::uint64_t>(rows.integer(0)));
  std::sort(found.begin(), found.end());
  return found;
}

void ResultIndex::add_to(Lot& lot, const std::vector<std::uint64_t>& sequences,
                         std::chrono::steady_clock::time_point until) {
  SummaryReader reader(db_.get(), file_, lot.words());
  for (const std::uint64_t sequence : sequences) {
    if (std::chrono::steady_clock::now() > until) throw PageTimeout("the page takes too long");
    if (auto summary = reader.read(sequence)) lot.add(std::move(*summary));
  }
}

std::optional<BoardNote> ResultIndex::note(std::uint64_t sequence) {
  sqlite::Statement row(db_.get(), file_,
                        "SELECT why, artefact FROM summary JOIN board USING (sequence) WHERE sequence = ?1");
  row.bind(1, static_cast<std::int64_t>(sequence));
  if (!row.step()) return std::nullopt;
  return BoardNote{row.text(0), row.integer(1) != 0};
}

std::vector<std::string> ResultIndex::recipes(std::size_t most) {
  sqlite::Statement rows(db_.get(), file_, "SELECT DISTINCT recipe FROM series ORDER BY recipe LIMIT ?1");
  rows.bind(1, static_cast<std::int64_t>(most));
  std::vector<std::string> found;
  while (rows.step()) found.push_back(rows.text(0));
  return found;
}

std::vector<SeriesName> ResultIndex::series(const std::string& recipe, std::size_t most) {
  sqlite::Statement rows(
      db_.get(), file_,
      "SELECT reference, what FROM series WHERE recipe = ?1 ORDER BY reference, what LIMIT ?2");
  rows.bind(1, recipe).bind(2, static_cast<std::int64_t>(most));
  std::vector<SeriesName> found;
  while (rows.step()) found.push_back({recipe, rows.text(0), rows.text(1)});
  return found;
}

std::vector<SeriesDay> ResultIndex::days(const SeriesName& name, const std::string& from, std::size_t most) {
  sqlite::Statement rows(
      db_.get(), file_,
      "SELECT day, pass, inconclusive, fail, invalid, n, sum, least, most FROM day WHERE series = "
      "(SELECT id FROM series WHERE recipe = ?1 AND reference = ?2 AND what = ?3) AND day >= ?4 "
      "ORDER BY day DESC LIMIT ?5");
  rows.bind(1, name.recipe).bind(2, name.reference).bind(3, name.what).bind(4, from);
  rows.bind(5, static_cast<std::int64_t>(most));
  std::vector<SeriesDay> found;
  while (rows.step()) {
    SeriesDay d;
    d.day = rows.text(0);
    for (int i = 0; i < 4; ++i) d.decisions[i] = static_cast<std::uint64_t>(rows.integer(1 + i));
    d.n = static_cast<std::uint64_t>(rows.integer(5));
    d.mean = d.n > 0 ? rows.real(6) / static_cast<double>(d.n) : 0;
    d.least = rows.real(7);
    d.most = rows.real(8);
    found.push_back(d);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<CalibrationUse> ResultIndex::calibrations(std::size_t most) {
  sqlite::Statement rows(db_.get(), file_,
                         "SELECT id, sha256, first_at, last_at, results, first, last FROM calibration ORDER "
                         "BY last DESC LIMIT ?1");
  rows.bind(1, static_cast<std::int64_t>(most));
  std::vector<CalibrationUse> found;
  while (rows.step())
    found.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                     static_cast<std::uint64_t>(rows.integer(4)), static_cast<std::uint64_t>(rows.integer(5)),
                     static_cast<std::uint64_t>(rows.integer(6))});
  return found;
}

}  // namespace datum
