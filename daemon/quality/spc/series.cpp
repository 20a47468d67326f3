#include "daemon/quality/spc/series.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum::quality {

std::string text_of(const SeriesKey& key) {
  std::string text = key.reference + " " + name_of(key.characteristic);
  if (key.parameter != 0) text += fmt::format(" {:g}", key.parameter);
  return text;
}

bool Segment::made_by(const BoardVerdict& v) const {
  return recipe_sha256 == v.recipe_sha256 && calibration_sha256 == v.calibration_sha256 && code == v.code;
}

void SegmentSums::add_invalid() {
  ++invalid;
  previous.reset();
}

void SegmentSums::add(const CheckVerdict& check, bool usable) {
  nominal = check.check.nominal;
  lower = check.check.lower;
  upper = check.check.upper;
  if (check.reason == Reason::skipped) {  // a bad board of a panel: nobody tried to measure it
    previous.reset();
    return;
  }
  // A number beside INVALID is no measurement.
  if (check.decision == Decision::invalid || !usable) {
    add_invalid();
    return;
  }
  inconclusive += check.decision == Decision::inconclusive;
  largest_u = std::max(largest_u, check.u);
  const std::int64_t count = decimal_of(check.value, series_digits).count;
  values.add(count);
  if (previous) ranges.add(std::abs(count - *previous));
  previous = count;
}

double SegmentSums::invalid_share() const {
  return measured() == 0 ? 0 : static_cast<double>(invalid) / static_cast<double>(measured());
}

std::size_t SeriesBook::segment_of(const BoardVerdict& v) {
  const auto present = present_.find(v.recipe);
  if (present != present_.end() && segments_[present->second].made_by(v)) return present->second;
  segments_.push_back(
      {v.recipe, v.recipe_sha256, v.calibration_sha256, v.code, v.sequence, 0, 0, v.measured_at, ""});
  return present_[v.recipe] = segments_.size() - 1;
}

bool SeriesBook::wanted(const ComponentVerdict& component, const CheckVerdict& check) const {
  return (filter_.reference.empty() || component.reference == filter_.reference) &&
         (filter_.package.empty() || component.package == filter_.package) &&
         (filter_.characteristic.empty() || name_of(check.check.characteristic) == filter_.characteristic);
}

/// A board without rows, such as one of a refused frame, is a gap in each series that its segment has so far.
void SeriesBook::add_gap(const BoardVerdict& v, std::size_t index) {
  for (auto& [key, series] : series_) {
    const auto sums = series.segments.find(index);
    if (key.recipe != v.recipe || sums == series.segments.end()) continue;
    sums->second.add_invalid();
    if (filter_.keep_points) series.points.push_back({v.sequence, index, std::nullopt});
  }
}

void SeriesBook::add(const BoardVerdict& v) {
  if (filter_.excluded.contains(v.sequence) || is_artefact(v)) {
    ++excluded_;
    return;
  }
  if (!v.unit_id.empty() && !units_.emplace(v.recipe, v.unit_id).second) {
    ++repeats_;
    return;
  }
  ++results_;
  const std::size_t index = segment_of(v);
  Segment& segment = segments_[index];
  segment.last = v.sequence;
  segment.to = v.measured_at;
  ++segment.results;
  if (v.components.empty()) add_gap(v, index);
  for (const ComponentVerdict& component : v.components) {
    for (const CheckVerdict& check : component.checks) {
      if (!wanted(component, check)) continue;
      const SeriesKey key{v.recipe, component.reference, component.package, check.check.characteristic,
                          check.check.parameter};
      Series& series = series_[key];
      SegmentSums& sums = series.segments[index];
      sums.add(check, v.reason == Reason::none || v.decision != Decision::invalid);
      if (filter_.keep_points) series.points.push_back({v.sequence, index, sums.previous});
    }
  }
}

SeriesBook read_series(ResultStore& store, const ResultFilter& results, const SeriesFilter& filter) {
  constexpr std::uint64_t batch = 64;  // results in memory at once
  SeriesBook book(filter);
  ResultFilter next = results;
  for (;;) {
    const auto rows = store.list(next, batch, ResultOrder::oldest_first);
    for (const StoredResult& row : rows) book.add(row.verdict());
    if (rows.size() < batch) return book;
    next.after = rows.back().sequence;
  }
}

}  // namespace datum::quality
