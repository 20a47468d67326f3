// Series of verdicts' values: per recipe, component and characteristic, in segments between changes of recipe, calibration and code. What a
// segment keeps is updated by each result and stays exact for ever; points are kept where a chart wants them.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/series/count_sums.h"
#include "daemon/series/decimal.h"

namespace datum::quality {

/// Values are rounded to 10^-6 of their unit.
inline constexpr int series_digits = 6;

/// Counts of 10^-digits; none: INVALID.
using Point = std::optional<std::int64_t>;

struct SeriesKey {
  std::string recipe, reference, package;
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;
  auto operator<=>(const SeriesKey&) const = default;
};
std::string text_of(
    const SeriesKey& key);  // "U1 median"; the quantile or number of a percentile or top mean behind it

/// The value of a check as a point: none where it is INVALID or skipped, or its board is INVALID as a whole (`whole`). Throws
/// std::invalid_argument: it is not finite, or too large.
Point point_of(const CheckVerdict& check, Reason whole);
struct KeyedPoint {
  SeriesKey key;
  Point point;
};
/// Of each check of a verdict, in its order. Throws as point_of.
std::vector<KeyedPoint> points_of(const BoardVerdict& verdict);

/// What made the values of a segment.
struct Segment {
  std::string recipe, recipe_sha256, calibration_sha256, code;
  std::uint64_t first = 0, last = 0, results = 0;  // sequence numbers
  std::string from{}, to{};                        // measured_at
  std::uint64_t removed = 0;                       // results of which the sums alone are left
  std::uint64_t kept_first = 0;                    // the first of the others; 0: there is none
  std::string kept_from{};                         // measured_at

  bool made_by(const BoardVerdict& verdict) const;
};

struct SegmentSums {
  CountSums values, ranges;  // ranges: between successive values
  Point lowest, highest;     // of the values
  std::uint64_t invalid = 0, inconclusive = 0;
  std::array<std::uint64_t, 4> decisions{};      // of checks, by Decision; INVALID boards count as INVALID
  std::map<std::string, std::uint64_t> reasons;  // of INVALID ones, by name
  double largest_u = 0;                          // standard uncertainty of a value, the largest
  Point previous;                                // none: nothing yet, or INVALID
  Point lead;  // range from the value before these sums to their first value; it is among `ranges`
  std::optional<double> nominal, lower, upper;  // of the newest check

  /// `whole`: reason of a board that is INVALID as a whole, whatever its numbers; none: it is not.
  void add(const CheckVerdict& check, Reason whole);
  void add_invalid(Reason reason);
  /// Adds sums of the values that follow these.
  void append(const SegmentSums& next);
  /// Takes the range from the value before out: that value is not there.
  void forget_before();
  std::uint64_t measured() const { return values.n + invalid; }
  double invalid_share() const;
};

struct SeriesPoint {
  std::uint64_t sequence = 0;
  std::size_t segment = 0;
  Point point;
};

struct Series {
  std::map<std::size_t, SegmentSums> segments;  // by index
  std::vector<SeriesPoint> points;              // in order, where they are kept
};

struct SeriesFilter {
  std::string reference, package, characteristic;  // empty: all
  bool keep_points = false;
  std::set<std::uint64_t> excluded{};  // sequence numbers, such as those of studies
};

/// How results were counted.
struct SeriesCounts {
  std::uint64_t results = 0, repeats = 0, excluded = 0, unreadable = 0;
};

/// What a book goes on from: sums of results that are not there any more.
struct SeriesBefore {
  std::vector<Segment> segments;  // in their order
  std::map<SeriesKey, Series> series;
  SeriesCounts counts;
  std::uint64_t last = 0;  // highest sequence number of them; 0: none
  std::string to;          // its measured_at
  std::vector<std::string> notes;
  /// Whether such a result has this unit. Empty: none has.
  std::function<bool(const std::string& recipe, const std::string& unit)> had_unit{};
};

/// Takes results in their order; one at a time, so that a daemon can go on where a report ended.
class SeriesBook {
 public:
  explicit SeriesBook(SeriesFilter filter, SeriesBefore before = {});

  enum class Taken : std::uint8_t { counted, repeated, excluded };
  /// Throws std::invalid_argument and adds nothing: a value is not finite or too large.
  Taken add(const BoardVerdict& verdict);
  /// A result whose text is no verdict.
  void add_unreadable() { ++counts_.unreadable; }

  const std::vector<Segment>& segments() const { return segments_; }
  const std::map<SeriesKey, Series>& series() const { return series_; }
  std::uint64_t results() const { return counts_.results; }
  /// Of a unit that the recipe has measured before: left out.
  std::uint64_t repeats() const { return counts_.repeats; }
  std::uint64_t excluded() const { return counts_.excluded; }
  std::uint64_t unreadable() const { return counts_.unreadable; }
  /// What it went on from; its segments and series have moved into the book.
  const SeriesBefore& before() const { return before_; }

 private:
  std::size_t segment_of(const BoardVerdict& verdict);
  void add_gap(const BoardVerdict& verdict, std::size_t segment);
  bool wanted(const std::string& reference, const std::string& package, Characteristic characteristic) const;
  bool repeats_unit(const BoardVerdict& verdict);

  SeriesFilter filter_;
  SeriesBefore before_;
  std::vector<Segment> segments_;
  std::map<std::string, std::size_t> present_;  // segment of each recipe
  std::set<std::pair<std::string, std::string>> units_;
  std::map<SeriesKey, Series> series_;
  SeriesCounts counts_;
};

}  // namespace datum::quality
