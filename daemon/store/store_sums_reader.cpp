// Reading of the sums of removed results.
#include <fmt/format.h>

#include "daemon/store/store_rows.h"
#include "daemon/store/store_sums.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using quality::SegmentSums;
using quality::SeriesKey;

std::uint64_t unsigned_of(std::int64_t n) { return static_cast<std::uint64_t>(n); }

[[noreturn]] void damaged(const fs::path& file, const std::string& what) {
  throw StoreError(
      StoreError::Kind::corrupt,
      fmt::format("{}: the sums of removed results have '{}' where a number is expected; restore "
                  "a backup",
                  file.string(), what.substr(0, 60)));
}

quality::UnsignedWide wide_of(std::string_view text, const fs::path& file) {
  constexpr std::size_t most_digits = 38;  // 10^38 < 2^127
  if (text.empty() || text.size() > most_digits) damaged(file, std::string(text));
  quality::UnsignedWide value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') damaged(file, std::string(text));
    value = 10 * value + static_cast<unsigned>(c - '0');
  }
  return value;
}

quality::CountSums count_sums(const sqlite::Statement& row, int column, const fs::path& file) {
  quality::CountSums sums;
  sums.n = unsigned_of(row.integer(column));
  const std::string total = row.text(column + 1);
  const bool negative = total.starts_with('-');
  const auto magnitude =
      static_cast<quality::Wide>(wide_of(std::string_view(total).substr(negative ? 1 : 0), file));
  sums.sum = negative ? -magnitude : magnitude;
  sums.squares_high = wide_of(row.text(column + 2), file);
  sums.squares_low = wide_of(row.text(column + 3), file);
  return sums;
}

quality::Point point(const sqlite::Statement& row, int column) {
  return row.has(column) ? std::optional(row.integer(column)) : std::nullopt;
}
std::optional<double> number(const sqlite::Statement& row, int column) {
  return row.has(column) ? std::optional(row.real(column)) : std::nullopt;
}

/// "FLOOR_SIDES 3,FRAME 1"
std::map<std::string, std::uint64_t> reasons_of(const std::string& text, const fs::path& file) {
  std::map<std::string, std::uint64_t> reasons;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size()), space = text.find(' ', at);
    if (space >= end) damaged(file, text);
    reasons[text.substr(at, space - at)] =
        static_cast<std::uint64_t>(wide_of(std::string_view(text).substr(space + 1, end - space - 1), file));
    at = end + 1;
  }
  return reasons;
}

/// Days of a filter's times.
class Days {
 public:
  explicit Days(const ResultFilter& filter) : from_(filter.from), before_(filter.before) {}
  bool whole(const std::string& day) const {
    return (!from_ || day + "T00:00:00" >= *from_) && (!before_ || day + "U" <= *before_);
  }
  bool apart(const std::string& day) const {
    return (from_ && day + "U" <= *from_) || (before_ && day + "T00:00:00" >= *before_);
  }

 private:
  std::optional<std::string> from_, before_;
};

class SumsReader {
 public:
  SumsReader(sqlite3* db, const fs::path& file, const ResultFilter& filter)
      : db_(db), file_(file), filter_(filter), days_(filter) {}

  quality::SeriesBefore read() {
    read_boards();
    sqlite::Statement rows(db_, file_,
                           "SELECT segment, recipe, recipe_sha256, calibration_sha256, code FROM "
                           "sums_segment WHERE ?1 = '' OR recipe = ?1 ORDER BY segment");
    rows.bind(1, filter_.recipe.value_or(""));
    while (rows.step())
      read_segment(rows.integer(0), {rows.text(1), rows.text(2), rows.text(3), rows.text(4)});
    for (const std::string& day : cut_)
      before_.notes.push_back(
          fmt::format("removed results of {} lie on both sides of the stated time, and only sums of whole "
                      "days are kept: they are left out",
                      day));
    before_.had_unit = [db = db_, file = file_, day = filter_.from.value_or("").substr(0, 10)](
                           const std::string& recipe, const std::string& unit) {
      sqlite::Statement row(db, file, "SELECT 1 FROM sums_unit WHERE unit = ?1 AND day >= ?2");
      return row.bind(1, unit_number(recipe, unit)).bind(2, day).step();
    };
    return std::move(before_);
  }

 private:
  void read_boards() {
    sqlite::Statement rows(db_, file_, "SELECT day, recipe, kind, boards FROM sums_board");
    while (rows.step()) {
      if ((filter_.recipe && rows.text(1) != *filter_.recipe) || !wanted(rows.text(0))) continue;
      const std::string kind = rows.text(2);
      auto& counts = before_.counts;
      (kind == "product"    ? counts.results
       : kind == "repeat"   ? counts.repeats
       : kind == "excluded" ? counts.excluded
                            : counts.unreadable) += unsigned_of(rows.integer(3));
    }
  }

  bool wanted(const std::string& day) {
    if (days_.whole(day)) return true;
    if (!days_.apart(day)) cut_.insert(day);
    return false;
  }

  void read_segment(std::int64_t id, quality::Segment segment) {
    std::set<std::string> days;
    bool all = true, newest = true;
    {
      sqlite::Statement rows(db_, file_,
                             "SELECT day, results, first, last, begins, ends FROM sums_day WHERE segment = "
                             "?1 ORDER BY first");
      rows.bind(1, id);
      while (rows.step()) {
        newest = wanted(rows.text(0));
        all &= newest;
        if (!newest) continue;
        days.insert(rows.text(0));
        if (segment.results == 0) {
          segment.first = unsigned_of(rows.integer(2));
          segment.from = rows.text(4);
        }
        segment.results += unsigned_of(rows.integer(1));
        if (const auto last = unsigned_of(rows.integer(3)); last > segment.last) {
          segment.last = last;
          segment.to = rows.text(5);
        }
      }
    }
    if (segment.results == 0) return;
    segment.removed = segment.results;
    if (segment.last > before_.last) {
      before_.last = segment.last;
      before_.to = segment.to;
    }
    const std::size_t index = before_.segments.size();
    before_.segments.push_back(segment);
    read_series(id, index, days, all, newest);
  }

  void read_series(std::int64_t id, std::size_t index, const std::set<std::string>& days, bool all,
                   bool newest) {
    sqlite::Statement rows(
        db_, file_,
        fmt::format(
            "SELECT recipe, reference, package, characteristic, parameter, previous, nominal, lower, "
            "upper, day, {} FROM sums_last JOIN sums_series USING (series) LEFT JOIN sums_value USING "
            "(segment, series) WHERE segment = ?1 ORDER BY series, day",
            sums_columns)
            .c_str());
    rows.bind(1, id);
    std::set<std::string> unknown;
    std::vector<SegmentSums*> read;
    while (rows.step()) {
      const auto characteristic = characteristic_named(rows.text(3));
      if (!characteristic) {
        unknown.insert(rows.text(3));
        continue;
      }
      // Without a row of a wanted day a series is known alone, as one of skipped boards of a panel.
      if (rows.has(9) && !days.contains(rows.text(9))) continue;
      const SeriesKey key{rows.text(0), rows.text(1), rows.text(2), *characteristic, rows.real(4)};
      auto& segments = before_.series[key].segments;
      const bool added = !segments.contains(index);
      SegmentSums& sums = segments[index];
      if (added) {
        read_last(rows, 5, sums);
        if (!newest) sums.previous.reset();
        read.push_back(&sums);
      }
      if (rows.has(9)) sums.append(sums_of_row(rows, 10, file_));
    }
    if (!all)
      for (SegmentSums* sums : read) sums->forget_before();
    for (const std::string& name : unknown)
      before_.notes.push_back(
          fmt::format("removed values of '{}' are left out: this program does not know it", name));
  }

  sqlite3* db_;
  const fs::path& file_;
  const ResultFilter& filter_;
  Days days_;
  quality::SeriesBefore before_;
  std::set<std::string> cut_;  // days that the filter's times cut
};

}  // namespace

SegmentSums sums_of_row(const sqlite::Statement& row, int column, const fs::path& file) {
  SegmentSums sums;
  sums.values = count_sums(row, column, file);
  sums.ranges = count_sums(row, column + 4, file);
  sums.lead = point(row, column + 8);
  sums.lowest = point(row, column + 9);
  sums.highest = point(row, column + 10);
  for (std::size_t i = 0; i < sums.decisions.size(); ++i)
    sums.decisions[i] = unsigned_of(row.integer(column + 11 + static_cast<int>(i)));
  sums.inconclusive = sums.decisions[static_cast<std::size_t>(Decision::inconclusive)];
  sums.invalid = sums.decisions[static_cast<std::size_t>(Decision::invalid)];
  sums.reasons = reasons_of(row.text(column + 15), file);
  sums.largest_u = row.real(column + 16);
  return sums;
}

void read_last(const sqlite::Statement& row, int column, SegmentSums& sums) {
  sums.previous = point(row, column);
  sums.nominal = number(row, column + 1);
  sums.lower = number(row, column + 2);
  sums.upper = number(row, column + 3);
}

std::optional<Characteristic> characteristic_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(last_characteristic); ++i)
    if (name == name_of(static_cast<Characteristic>(i))) return static_cast<Characteristic>(i);
  return std::nullopt;
}

quality::SeriesBefore read_sums(sqlite3* db, const fs::path& file, const ResultFilter& filter) {
  if (!sqlite::has_table(db, file, "sums_segment")) return {};
  return SumsReader(db, file, filter).read();
}

}  // namespace datum
