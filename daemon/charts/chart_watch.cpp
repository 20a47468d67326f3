#include "daemon/charts/chart_watch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace datum::quality {
namespace {

constexpr double counts_per_unit = 1e6;  // 10^series_digits

}  // namespace

std::optional<double> standardised(const Point& point, const SeriesLimits& limits) {
  if (!point) return std::nullopt;
  return (static_cast<double>(*point) / counts_per_unit - limits.mean) / limits.sigma;
}

ChartWatch::ChartWatch(std::shared_ptr<const FrozenLimits> limits)
    : limits_(std::move(limits)), rules_(limits_->chosen()) {
  for (const auto& [key, of] : limits_->series) series_.emplace(key, SeriesWatch(of, rules_));
}

void ChartWatch::restart() {
  for (auto& [key, series] : series_) series.restart();
}

std::string ChartWatch::drift_state() const {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [key, series] : series_) {
    const DriftState s = series.drift();
    all.push_back(
        {s.z, s.left, s.above, s.below, s.above_n, s.below_n, s.ewma_since, s.above_since, s.below_since});
  }
  return all.dump();
}

bool ChartWatch::resume(const std::string& text) {
  std::vector<DriftState> states;
  try {
    for (const auto& s : nlohmann::json::parse(text))
      states.push_back({s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5), s.at(6), s.at(7), s.at(8)});
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  if (states.size() != series_.size()) return false;
  std::size_t i = 0;
  for (auto& [key, series] : series_) series.resume(states[i++]);
  return true;
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
  const RuleSet rules = chart_rule_set_of(limits.disarm);
  return std::any_of(hits.begin(), hits.end(),
                     [&](const ChartHit& h) { return rules.rules.contains(h.rule); });
}

}  // namespace datum::quality
