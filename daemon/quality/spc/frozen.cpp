#include "daemon/quality/spc/frozen.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/quality/spc/charts.h"
#include "daemon/quality/statistics/exact.h"

namespace datum::quality {
namespace {

/// The newest segment of the recipe that begins at `last` or before.
std::size_t segment_of(const SeriesBook& book, const FreezeOrder& order) {
  const auto& all = book.segments();
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].recipe == order.recipe && (order.last == 0 || all[i].first <= order.last)) return i;
  throw LimitsRefused("the store has no result of recipe '" + order.recipe + "' that counts");
}

bool is_wanted(const ChartRules& rules, const SeriesKey& key) {
  const auto listed = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  return listed(rules.components, key.reference) && listed(rules.packages, key.package) &&
         listed(rules.characteristics, name_of(key.characteristic));
}

bool is_removed(const FreezeOrder& order, std::uint64_t sequence) {
  return std::any_of(order.removed.begin(), order.removed.end(),
                     [&](const RemovedResult& r) { return r.sequence == sequence; });
}

/// Points of phase 1; a removed one is a gap.
std::vector<SeriesPoint> phase_1(const Series& series, std::size_t segment, const FreezeOrder& order,
                                 const FrozenLimits& limits) {
  std::vector<SeriesPoint> points;
  for (SeriesPoint p : series.points) {
    if (p.segment != segment || p.sequence < limits.first || p.sequence > limits.last) continue;
    if (is_removed(order, p.sequence)) p.point.reset();
    points.push_back(p);
  }
  return points;
}

std::string refusal_of(const IndividualsChart& chart, std::uint64_t least) {
  if (chart.n < least) return fmt::format("{} values of {} that are wanted", chart.n, least);
  if (!(chart.sigma > 0)) return "successive values are all the same: no sigma";
  return "";
}

void add_hits(std::vector<ChartHit>& hits, const SeriesKey& key, SeriesWatch& watch, const SeriesPoint& p) {
  watch.take(p.sequence, p.point, [&](int rule, std::uint64_t first, std::uint64_t last) {
    hits.push_back({key, rule, first, last});
  });
}

void demand_removed(const FreezeOrder& order, const FrozenLimits& limits) {
  for (const RemovedResult& r : order.removed) {
    if (r.sequence < limits.first || r.sequence > limits.last)
      throw LimitsRefused(
          fmt::format("result {} is none of phase 1, {} to {}", r.sequence, limits.first, limits.last));
    if (r.cause.find_first_not_of(' ') == std::string::npos)
      throw LimitsRefused(
          fmt::format("result {} is left out without a cause; --without {}=CAUSE", r.sequence, r.sequence));
  }
}

}  // namespace

Frozen freeze(const SeriesBook& book, const FreezeOrder& order) {
  const std::size_t index = segment_of(book, order);
  const Segment& segment = book.segments()[index];
  Frozen out;
  FrozenLimits& l = out.limits;
  l.at = order.at;
  l.by = order.by;
  l.recipe = order.recipe;
  l.recipe_sha256 = segment.recipe_sha256;
  l.calibration_sha256 = segment.calibration_sha256;
  l.code = segment.code;
  l.rules = order.rules.rules;
  l.disarm = order.rules.disarm;
  l.drift = order.rules.drift;
  l.first = std::max(order.first, segment.kept_first);
  l.last = order.last == 0 ? segment.last : std::min(order.last, segment.last);
  l.removed = order.removed;
  demand_removed(order, l);
  const ChosenRules rules = l.chosen();
  std::set<std::uint64_t> results;
  for (const auto& [key, series] : book.series()) {
    if (key.recipe != order.recipe || !series.segments.contains(index) || !is_wanted(order.rules, key))
      continue;
    const std::vector<SeriesPoint> points = phase_1(series, index, order, l);
    std::vector<Point> values;
    for (const SeriesPoint& p : points) {
      values.push_back(p.point);
      results.insert(p.sequence);
    }
    const IndividualsChart chart = individuals_chart(values, series_digits);
    if (std::string why = refusal_of(chart, order.least); !why.empty()) {
      out.refused.push_back({key, std::move(why)});
      continue;
    }
    const SeriesLimits limits{chart.mean, chart.sigma, chart.n};
    l.series.emplace(key, limits);
    SeriesWatch watch(limits, rules);
    for (const SeriesPoint& p : points) add_hits(out.hits, key, watch, p);
  }
  l.results = results.size();
  if (l.series.empty())
    throw LimitsRefused(out.refused.empty()
                            ? "no series of recipe '" + order.recipe + "' is watched by its [control_charts]"
                            : fmt::format("no series has limits: {}: {}", text_of(out.refused.front().key),
                                          out.refused.front().why));
  return out;
}

std::vector<ChartHit> frozen_hits(const SeriesBook& book, const SeriesKey& key, const FrozenLimits& limits,
                                  const std::vector<std::uint64_t>& acknowledged) {
  std::vector<ChartHit> hits;
  const auto of = limits.series.find(key);
  const auto series = book.series().find(key);
  if (of == limits.series.end() || series == book.series().end()) return hits;
  const ChosenRules rules = limits.chosen();
  SeriesWatch watch(of->second, rules);
  std::size_t next = 0, segment = 0;
  for (const SeriesPoint& p : series->second.points) {
    if (p.sequence <= limits.last) continue;
    bool anew = p.segment != segment;
    segment = p.segment;
    for (; next < acknowledged.size() && acknowledged[next] < p.sequence; ++next) anew = true;
    if (anew) watch.restart();
    const Segment& made = book.segments()[p.segment];
    if (made.recipe_sha256 == limits.recipe_sha256 && made.calibration_sha256 == limits.calibration_sha256 &&
        made.code == limits.code)
      add_hits(hits, key, watch, p);
  }
  return hits;
}

}  // namespace datum::quality
