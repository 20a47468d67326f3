// Series of stored values: per recipe, component and characteristic, in segments between changes of recipe, calibration and code. What a
// segment keeps is updated by each result and stays exact for ever; points are kept where a chart wants them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/quality/spc/charts.h"
#include "daemon/store/result_store.h"

namespace datum::quality {

/// Values are rounded to 10^-6 of their unit.
inline constexpr int series_digits = 6;

struct SeriesKey {
  std::string recipe, reference, package;
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;
  auto operator<=>(const SeriesKey&) const = default;
};
std::string text_of(
    const SeriesKey& key);  // "U1 median"; the quantile or number of a percentile or top mean behind it

/// What made the values of a segment.
struct Segment {
  std::string recipe, recipe_sha256, calibration_sha256, code;
  std::uint64_t first = 0, last = 0, results = 0;  // sequence numbers
  std::string from, to;                            // measured_at

  bool made_by(const BoardVerdict& verdict) const;
};

struct SegmentSums {
  ExactSums values, ranges;  // ranges: between successive values
  std::uint64_t invalid = 0, inconclusive = 0;
  double largest_u = 0;                         // standard uncertainty of a value, the largest
  Point previous;                               // none: nothing yet, or INVALID
  std::optional<double> nominal, lower, upper;  // of the newest check

  /// `usable`: false for a board that is INVALID as a whole, whatever its numbers.
  void add(const CheckVerdict& check, bool usable);
  void add_invalid();
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

/// Takes results in their order; one at a time, so that a daemon can go on where a report ended.
class SeriesBook {
 public:
  explicit SeriesBook(SeriesFilter filter) : filter_(std::move(filter)) {}

  void add(const BoardVerdict& verdict);

  const std::vector<Segment>& segments() const { return segments_; }
  const std::map<SeriesKey, Series>& series() const { return series_; }
  std::uint64_t results() const { return results_; }
  std::uint64_t repeats() const {
    return repeats_;
  }  // of a unit that the recipe has measured before: left out
  std::uint64_t excluded() const { return excluded_; }

 private:
  std::size_t segment_of(const BoardVerdict& verdict);
  void add_gap(const BoardVerdict& verdict, std::size_t segment);
  bool wanted(const ComponentVerdict& component, const CheckVerdict& check) const;

  SeriesFilter filter_;
  std::vector<Segment> segments_;
  std::map<std::string, std::size_t> present_;  // segment of each recipe
  std::set<std::pair<std::string, std::string>> units_;
  std::map<SeriesKey, Series> series_;
  std::uint64_t results_ = 0, repeats_ = 0, excluded_ = 0;
};

/// All results of a filter, oldest first. Throws StoreError.
SeriesBook read_series(ResultStore& store, const ResultFilter& results, const SeriesFilter& filter);

}  // namespace datum::quality
