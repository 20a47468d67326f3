#include "daemon/series/series.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum::quality {
namespace {

std::int64_t count_of(const CheckVerdict& check) { return decimal_of(check.value, series_digits).count; }

/// Of a board that is INVALID as a whole.
Reason whole_reason(const BoardVerdict& v) {
  return v.decision == Decision::invalid ? v.reason : Reason::none;
}

/// A number beside INVALID is no measurement.
bool has_value(const CheckVerdict& check, Reason whole) {
  return check.reason != Reason::skipped && check.decision != Decision::invalid && whole == Reason::none;
}

/// Throws before anything is added.
void demand_counts(const BoardVerdict& v) {
  for (const ComponentVerdict& component : v.components)
    for (const CheckVerdict& check : component.checks)
      if (has_value(check, whole_reason(v))) count_of(check);
}

Point beyond(Point a, Point b, bool below) {
  if (!a || !b) return a ? a : b;
  return below ? std::min(*a, *b) : std::max(*a, *b);
}

}  // namespace

std::string text_of(const SeriesKey& key) {
  std::string text = key.reference + " " + name_of(key.characteristic);
  if (key.parameter != 0) text += fmt::format(" {:g}", key.parameter);
  return text;
}

Point point_of(const CheckVerdict& check, Reason whole) {
  return has_value(check, whole) ? Point(count_of(check)) : std::nullopt;
}

std::vector<KeyedPoint> points_of(const BoardVerdict& v) {
  std::vector<KeyedPoint> points;
  for (const ComponentVerdict& component : v.components)
    for (const CheckVerdict& check : component.checks)
      points.push_back({{v.recipe, component.reference, component.package, check.check.characteristic,
                         check.check.parameter},
                        point_of(check, whole_reason(v))});
  return points;
}

bool Segment::made_by(const BoardVerdict& v) const {
  return recipe_sha256 == v.recipe_sha256 && calibration_sha256 == v.calibration_sha256 && code == v.code;
}

void SegmentSums::add_invalid(Reason reason) {
  ++invalid;
  ++decisions[static_cast<std::size_t>(Decision::invalid)];
  ++reasons[name_of(reason)];
  previous.reset();
}

void SegmentSums::add(const CheckVerdict& check, Reason whole) {
  nominal = check.check.nominal;
  lower = check.check.lower;
  upper = check.check.upper;
  if (check.reason == Reason::skipped) {  // a bad board of a panel: nobody tried to measure it
    previous.reset();
    return;
  }
  if (!has_value(check, whole)) {
    add_invalid(whole == Reason::none ? check.reason : whole);
    return;
  }
  ++decisions[static_cast<std::size_t>(check.decision)];
  inconclusive += check.decision == Decision::inconclusive;
  largest_u = std::max(largest_u, check.u);
  const std::int64_t count = count_of(check);
  if (previous) {
    const std::int64_t range = std::abs(count - *previous);
    if (values.n == 0) lead = range;
    ranges.add(range);
  }
  values.add(count);
  lowest = beyond(lowest, count, true);
  highest = beyond(highest, count, false);
  previous = count;
}

void SegmentSums::append(const SegmentSums& next) {
  if (values.n == 0) lead = next.lead;
  values.merge(next.values);
  ranges.merge(next.ranges);
  lowest = beyond(lowest, next.lowest, true);
  highest = beyond(highest, next.highest, false);
  invalid += next.invalid;
  inconclusive += next.inconclusive;
  for (std::size_t i = 0; i < decisions.size(); ++i) decisions[i] += next.decisions[i];
  for (const auto& [reason, count] : next.reasons) reasons[reason] += count;
  largest_u = std::max(largest_u, next.largest_u);
}

void SegmentSums::forget_before() {
  if (lead) ranges.remove(*lead);
  lead.reset();
}

double SegmentSums::invalid_share() const {
  return measured() == 0 ? 0 : static_cast<double>(invalid) / static_cast<double>(measured());
}

SeriesBook::SeriesBook(SeriesFilter filter, SeriesBefore before)
    : filter_(std::move(filter)), before_(std::move(before)) {
  segments_ = std::move(before_.segments);
  for (std::size_t i = 0; i < segments_.size(); ++i) present_[segments_[i].recipe] = i;
  series_ = std::move(before_.series);
  std::erase_if(series_, [&](const auto& item) {
    return !wanted(item.first.reference, item.first.package, item.first.characteristic);
  });
  counts_ = before_.counts;
}

std::size_t SeriesBook::segment_of(const BoardVerdict& v) {
  const auto present = present_.find(v.recipe);
  if (present != present_.end() && segments_[present->second].made_by(v)) return present->second;
  segments_.push_back({v.recipe, v.recipe_sha256, v.calibration_sha256, v.code});
  return present_[v.recipe] = segments_.size() - 1;
}

bool SeriesBook::wanted(const std::string& reference, const std::string& package,
                        Characteristic characteristic) const {
  return (filter_.reference.empty() || reference == filter_.reference) &&
         (filter_.package.empty() || package == filter_.package) &&
         (filter_.characteristic.empty() || name_of(characteristic) == filter_.characteristic);
}

/// A board without rows, such as one of a refused frame, is a gap in each series that its segment has so far.
void SeriesBook::add_gap(const BoardVerdict& v, std::size_t index) {
  for (auto& [key, series] : series_) {
    const auto sums = series.segments.find(index);
    if (key.recipe != v.recipe || sums == series.segments.end()) continue;
    sums->second.add_invalid(v.reason);
    if (filter_.keep_points) series.points.push_back({v.sequence, index, std::nullopt});
  }
}

bool SeriesBook::repeats_unit(const BoardVerdict& v) {
  if (v.unit_id.empty()) return false;
  if (before_.had_unit && before_.had_unit(v.recipe, v.unit_id)) return true;
  return !units_.emplace(v.recipe, v.unit_id).second;
}

SeriesBook::Taken SeriesBook::add(const BoardVerdict& v) {
  if (filter_.excluded.contains(v.sequence) || is_artefact(v)) {
    ++counts_.excluded;
    return Taken::excluded;
  }
  demand_counts(v);
  if (repeats_unit(v)) {
    ++counts_.repeats;
    return Taken::repeated;
  }
  ++counts_.results;
  const std::size_t index = segment_of(v);
  Segment& segment = segments_[index];
  if (segment.results == 0) {
    segment.first = v.sequence;
    segment.from = v.measured_at;
  }
  if (segment.kept_first == 0) {
    segment.kept_first = v.sequence;
    segment.kept_from = v.measured_at;
  }
  segment.last = v.sequence;
  segment.to = v.measured_at;
  ++segment.results;
  if (v.components.empty()) add_gap(v, index);
  for (const ComponentVerdict& component : v.components) {
    for (const CheckVerdict& check : component.checks) {
      if (!wanted(component.reference, component.package, check.check.characteristic)) continue;
      const SeriesKey key{v.recipe, component.reference, component.package, check.check.characteristic,
                          check.check.parameter};
      Series& series = series_[key];
      SegmentSums& sums = series.segments[index];
      sums.add(check, whole_reason(v));
      if (filter_.keep_points) series.points.push_back({v.sequence, index, sums.previous});
    }
  }
  return Taken::counted;
}

}  // namespace datum::quality
