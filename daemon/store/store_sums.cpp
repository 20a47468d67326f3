#include "daemon/store/store_sums.h"

#include <fmt/format.h>

#include "config/toml_reader.h"
#include "daemon/store/store_rows.h"

namespace datum {

// Sums of up to 128 bits are text. WITHOUT ROWID: a day's row is found by one search and has no second key.
const char* const sums_tables = R"sql(
  CREATE TABLE sums_segment (segment INTEGER PRIMARY KEY, recipe TEXT NOT NULL, recipe_sha256 TEXT NOT NULL,
    calibration_sha256 TEXT NOT NULL, code TEXT NOT NULL);
  CREATE INDEX sums_segment_recipe ON sums_segment (recipe);
  CREATE TABLE sums_day (segment INTEGER NOT NULL, day TEXT NOT NULL, results INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, begins TEXT NOT NULL, ends TEXT NOT NULL, PRIMARY KEY (segment, day)) WITHOUT ROWID;
  CREATE TABLE sums_series (series INTEGER PRIMARY KEY, recipe TEXT NOT NULL, reference TEXT NOT NULL, package TEXT NOT NULL,
    characteristic TEXT NOT NULL, parameter REAL NOT NULL, UNIQUE (recipe, reference, package, characteristic, parameter));
  CREATE TABLE sums_value (segment INTEGER NOT NULL, series INTEGER NOT NULL, day TEXT NOT NULL, n INTEGER NOT NULL,
    total TEXT NOT NULL, high TEXT NOT NULL, low TEXT NOT NULL, ranges INTEGER NOT NULL, range_total TEXT NOT NULL,
    range_high TEXT NOT NULL, range_low TEXT NOT NULL, lead INTEGER, lowest INTEGER, highest INTEGER, pass INTEGER NOT NULL,
    inconclusive INTEGER NOT NULL, fail INTEGER NOT NULL, invalid INTEGER NOT NULL, reasons TEXT NOT NULL,
    largest_u REAL NOT NULL, PRIMARY KEY (segment, series, day)) WITHOUT ROWID;
  CREATE TABLE sums_last (segment INTEGER NOT NULL, series INTEGER NOT NULL, previous INTEGER, nominal REAL, lower REAL,
    upper REAL, PRIMARY KEY (segment, series)) WITHOUT ROWID;
  CREATE TABLE sums_board (day TEXT NOT NULL, recipe TEXT NOT NULL, kind TEXT NOT NULL, decision INTEGER NOT NULL,
    reason TEXT NOT NULL, boards INTEGER NOT NULL, PRIMARY KEY (day, recipe, kind, decision, reason)) WITHOUT ROWID;
  CREATE TABLE sums_unit (unit INTEGER PRIMARY KEY, day TEXT NOT NULL);
)sql";

namespace {

namespace fs = std::filesystem;
using quality::Point;
using quality::SegmentSums;
using quality::SeriesBook;
using quality::SeriesKey;

std::int64_t signed_of(std::uint64_t n) { return static_cast<std::int64_t>(n); }

void bind(sqlite::Statement& row, int index, const Point& count) {
  if (count) row.bind(index, *count);
}
void bind(sqlite::Statement& row, int index, const std::optional<double>& value) {
  if (value) row.bind_real(index, *value);
}

std::string text_of(const std::map<std::string, std::uint64_t>& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons)
    text += fmt::format("{}{} {}", text.empty() ? "" : ",", reason, count);
  return text;
}

int bind_sums(sqlite::Statement& row, int index, const quality::CountSums& sums) {
  row.bind(index, signed_of(sums.n)).bind(index + 1, fmt::format("{}", sums.sum));
  row.bind(index + 2, fmt::format("{}", sums.squares_high))
      .bind(index + 3, fmt::format("{}", sums.squares_low));
  return index + 4;
}

bool same_end(const SegmentSums& a, const SegmentSums& b) {
  return a.previous == b.previous && a.nominal == b.nominal && a.lower == b.lower && a.upper == b.upper;
}

/// Adds results of one day.
class DayOfSums {
 public:
  DayOfSums(sqlite3* db, const fs::path& file, std::string day, const std::set<std::uint64_t>& studied)
      : db_(db),
        file_(file),
        day_(std::move(day)),
        known_(db, file, "SELECT 1 FROM sums_unit WHERE unit = ?1") {
    filter_.excluded = studied;
  }

  /// In the order of the results. Call for each recipe first, then make the book.
  void go_on_from(const std::string& recipe) {
    if (!recipes_.insert(recipe).second) return;
    sqlite::Statement row(db_, file_,
                          "SELECT segment, recipe_sha256, calibration_sha256, code FROM sums_segment WHERE "
                          "recipe = ?1 ORDER BY segment DESC LIMIT 1");
    if (!row.bind(1, recipe).step()) return;
    const std::size_t index = before_.segments.size();
    ids_.push_back(row.integer(0));
    before_.segments.push_back({recipe, row.text(1), row.text(2), row.text(3)});
    sqlite::Statement rows(
        db_, file_,
        "SELECT series, reference, package, characteristic, parameter, previous, nominal, lower, upper FROM "
        "sums_last JOIN sums_series USING (series) WHERE segment = ?1");
    rows.bind(1, ids_.back());
    while (rows.step()) {
      const auto characteristic = characteristic_named(rows.text(3));
      if (!characteristic) continue;
      const SeriesKey key{recipe, rows.text(1), rows.text(2), *characteristic, rows.real(4)};
      series_[key] = rows.integer(0);
      read_last(rows, 5, before_.series[key].segments[index]);
    }
  }

  void add(const std::vector<std::pair<StoredResult, std::optional<BoardVerdict>>>& results) {
    const auto began = before_.series;
    before_.had_unit = [this](const std::string& recipe, const std::string& unit) {
      sqlite::Run row(known_);
      return row->bind(1, unit_number(recipe, unit)).step();
    };
    SeriesBook book(filter_, std::move(before_));
    for (const auto& [row, verdict] : results) count(row, verdict ? take(book, *verdict) : "unreadable");
    for (std::size_t i = 0; i < book.segments().size(); ++i) keep(book.segments()[i], i);
    for (const auto& [key, series] : book.series()) {
      const auto former = began.find(key);
      for (const auto& [index, sums] : series.segments) {
        if (sums.measured() > 0) keep(ids_[index], series_of(key), sums);
        const bool had = former != began.end() && former->second.segments.contains(index);
        if (!had || !same_end(former->second.segments.at(index), sums))
          keep_last(ids_[index], series_of(key), sums);
      }
    }
  }

 private:
  const char* take(SeriesBook& book, const BoardVerdict& verdict) {
    try {
      switch (book.add(verdict)) {
        case SeriesBook::Taken::repeated:
          return "repeat";
        case SeriesBook::Taken::excluded:
          return "excluded";
        case SeriesBook::Taken::counted:
          break;
      }
    } catch (const std::invalid_argument&) {  // a value that is no number
      return "unreadable";
    }
    if (!verdict.unit_id.empty())
      sqlite::Statement(db_, file_, "INSERT OR IGNORE INTO sums_unit VALUES (?1, ?2)")
          .bind(1, unit_number(verdict.recipe, verdict.unit_id))
          .bind(2, day_)
          .step();
    return "product";
  }

  void count(const StoredResult& row, const char* kind) {
    sqlite::Statement(
        db_, file_,
        "INSERT INTO sums_board VALUES (?1, ?2, ?3, ?4, ?5, 1) ON CONFLICT DO UPDATE SET boards "
        "= boards + 1")
        .bind(1, day_)
        .bind(2, row.recipe)
        .bind(3, kind)
        .bind(4, static_cast<std::int64_t>(row.decision))
        .bind(5, row.reason)
        .step();
  }

  void keep(const quality::Segment& s, std::size_t index) {
    if (index == ids_.size()) {
      sqlite::Statement(db_, file_,
                        "INSERT INTO sums_segment (recipe, recipe_sha256, calibration_sha256, code) VALUES "
                        "(?1, ?2, ?3, ?4)")
          .bind(1, s.recipe)
          .bind(2, s.recipe_sha256)
          .bind(3, s.calibration_sha256)
          .bind(4, s.code)
          .step();
      ids_.push_back(sqlite3_last_insert_rowid(db_));
    }
    if (s.results == 0) return;
    sqlite::Statement(db_, file_,
                      "INSERT INTO sums_day VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET "
                      "results = results + excluded.results, last = excluded.last, ends = excluded.ends")
        .bind(1, ids_[index])
        .bind(2, day_)
        .bind(3, signed_of(s.results))
        .bind(4, signed_of(s.first))
        .bind(5, signed_of(s.last))
        .bind(6, s.from)
        .bind(7, s.to)
        .step();
  }

  std::int64_t series_of(const SeriesKey& key) {
    if (const auto known = series_.find(key); known != series_.end()) return known->second;
    const auto bound = [&](sqlite::Statement& row) {
      row.bind(1, key.recipe).bind(2, key.reference).bind(3, key.package);
      row.bind(4, name_of(key.characteristic)).bind_real(5, key.parameter);
      return row.step();
    };
    sqlite::Statement insert(db_, file_,
                             "INSERT OR IGNORE INTO sums_series (recipe, reference, package, characteristic, "
                             "parameter) VALUES (?1, ?2, ?3, ?4, ?5)");
    bound(insert);
    sqlite::Statement row(db_, file_,
                          "SELECT series FROM sums_series WHERE recipe = ?1 AND reference = ?2 AND package = "
                          "?3 AND characteristic = ?4 AND parameter = ?5");
    bound(row);
    return series_[key] = row.integer(0);
  }

  void keep(std::int64_t segment, std::int64_t series, const SegmentSums& delta) {
    SegmentSums sums = delta;
    {
      sqlite::Run row(day_row_);
      row->bind(1, segment).bind(2, series).bind(3, day_);
      if (row->step()) {
        sums = sums_of_row(day_row_, 0, file_);
        sums.append(delta);
      }
    }
    sqlite::Run row(replace_);
    row->bind(1, segment).bind(2, series).bind(3, day_);
    int at = bind_sums(replace_, bind_sums(replace_, 4, sums.values), sums.ranges);
    for (const Point& p : {sums.lead, sums.lowest, sums.highest}) bind(replace_, at++, p);
    for (const std::uint64_t n : sums.decisions) row->bind(at++, signed_of(n));
    row->bind(at, text_of(sums.reasons)).bind_real(at + 1, sums.largest_u);
    row->step();
  }

  void keep_last(std::int64_t segment, std::int64_t series, const SegmentSums& sums) {
    sqlite::Run row(last_);
    row->bind(1, segment).bind(2, series);
    bind(last_, 3, sums.previous);
    bind(last_, 4, sums.nominal);
    bind(last_, 5, sums.lower);
    bind(last_, 6, sums.upper);
    row->step();
  }

  sqlite3* db_;
  const fs::path& file_;
  std::string day_;
  quality::SeriesFilter filter_;
  quality::SeriesBefore before_;
  std::set<std::string> recipes_;
  std::vector<std::int64_t> ids_;  // of segments, by index
  std::map<SeriesKey, std::int64_t> series_;
  sqlite::Statement known_;
  sqlite::Statement day_row_{
      db_, file_,
      fmt::format("SELECT {} FROM sums_value WHERE segment = ?1 AND series = ?2 AND day = ?3", sums_columns)
          .c_str()};
  sqlite::Statement replace_{db_, file_,
                             "INSERT OR REPLACE INTO sums_value VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                             "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"};
  sqlite::Statement last_{db_, file_, "INSERT OR REPLACE INTO sums_last VALUES (?1, ?2, ?3, ?4, ?5, ?6)"};
};

}  // namespace

std::optional<BoardVerdict> readable_verdict(const StoredResult& row) {
  try {
    return row.verdict();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::int64_t unit_number(const std::string& recipe, const std::string& unit) {
  const std::string hash = config::sha256_hex(recipe + '\0' + unit);
  return static_cast<std::int64_t>(std::stoull(hash.substr(0, 16), nullptr, 16));
}

void add_to_sums(sqlite3* db, const fs::path& file, std::uint64_t last, const ReadVerdicts& read,
                 const std::set<std::uint64_t>& studied) {
  using Results = std::vector<std::pair<StoredResult, std::optional<BoardVerdict>>>;
  Results results;
  sqlite::Statement rows(db, file,
                         (std::string(result_columns) + "WHERE sequence <= ?1 ORDER BY sequence").c_str());
  rows.bind(1, signed_of(last));
  while (rows.step()) {
    StoredResult row = row_of(rows, "");
    const auto known = read.find(row.sequence);
    auto verdict = known != read.end() ? known->second : readable_verdict(row);
    results.emplace_back(std::move(row), std::move(verdict));
  }
  for (std::size_t begin = 0; begin < results.size();) {
    const std::string day = results[begin].first.measured_at.substr(0, 10);
    DayOfSums sums(db, file, day, studied);
    Results of_day;
    for (; begin < results.size() && results[begin].first.measured_at.substr(0, 10) == day; ++begin) {
      if (results[begin].second) sums.go_on_from(results[begin].second->recipe);
      of_day.push_back(std::move(results[begin]));
    }
    sums.add(of_day);
  }
}

}  // namespace datum
