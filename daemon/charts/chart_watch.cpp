#include "daemon/charts/chart_watch.h"

#include <algorithm>

namespace datum::quality {
namespace {

constexpr double counts_per_unit = 1e6;  // 10^series_digits

}  // namespace

std::optional<double> standardised(const Point& point, const SeriesLimits& limits) {
  if (!point) return std::nullopt;
  return (static_cast<double>(*point) / counts_per_unit - limits.mean) / limits.sigma;
}

ChartWatch::ChartWatch(std::shared_ptr<const FrozenLimits> limits)
    : limits_(std::move(limits)), rules_(rule_set_of(limits_->rules)) {
  for (const auto& [key, of] : limits_->series) series_.emplace(key, SeriesWatch(of, rules_));
}

void ChartWatch::restart() {
  for (auto& [key, series] : series_) series.restart();
}

std::vector<ChartHit> ChartWatch::take(const BoardVerdict& v) {
  if (!limits_->hold_for(v)) {
    restart();
    return {};
  }
  const std::vector<KeyedPoint> points = points_of(v);
  std::vector<ChartHit> hits;
  const auto step = [&](const SeriesKey& key, SeriesWatch& series, const Point& point) {
    series.take(v.sequence, point, [&](int rule, std::uint64_t first, std::uint64_t last) {
      hits.push_back({key, rule, first, last});
    });
  };
  if (v.components.empty())  // such as one of a refused frame
    for (auto& [key, series] : series_) step(key, series, std::nullopt);
  for (const KeyedPoint& p : points)
    if (const auto found = series_.find(p.key); found != series_.end()) step(p.key, found->second, p.point);
  return hits;
}

bool disarms(const FrozenLimits& limits, const std::vector<ChartHit>& hits) {
  if (limits.disarm.empty()) return false;
  const RuleSet rules = rule_set_of(limits.disarm);
  return std::any_of(hits.begin(), hits.end(),
                     [&](const ChartHit& h) { return rules.rules.contains(h.rule); });
}

}  // namespace datum::quality
