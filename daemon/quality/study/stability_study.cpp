#include "daemon/quality/study/stability_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/quality/spc/capability.h"
#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/statistics/line_fit.h"

namespace datum::quality {
namespace {

constexpr std::size_t least_groups = 10;
constexpr double seconds_of_day = 86'400;

using GroupCounts = std::vector<std::vector<std::int64_t>>;

bool beyond(double value, const ControlLimits& limits) {
  return value < limits.lower || value > limits.upper;
}

/// The readings of each subgroup; throws where they are no series of one master.
std::vector<std::vector<const Reading*>> grouped(const StudyTable& table) {
  std::vector<std::vector<const Reading*>> groups;
  std::vector<std::string> names;
  for (const Reading& reading : table.readings) {
    if (reading.part != table.readings.front().part)
      throw StudyRefused(fmt::format("parts '{}' and '{}': a stability study has one master",
                                     table.readings.front().part, reading.part));
    if (names.empty() || names.back() != reading.op) {
      if (std::find(names.begin(), names.end(), reading.op) != names.end())
        throw StudyRefused(fmt::format(
            "operator '{}' has readings before and after those of '{}': each shift is a subgroup with a "
            "name of its own, measured without interruption",
            reading.op, names.back()));
      names.push_back(reading.op);
      groups.emplace_back();
    }
    groups.back().push_back(&reading);
  }
  if (groups.size() < least_groups)
    throw StudyRefused(
        fmt::format("{} subgroups (operators) of a stability study: at least {} are needed, "
                    "20 wanted",
                    groups.size(), least_groups));
  return groups;
}

Subgroup subgroup_of(const std::vector<const Reading*>& readings) {
  Subgroup group;
  group.name = readings.front()->op;
  double times = 0;
  bool timed = true;
  for (const Reading* reading : readings) {
    if (!reading->value) continue;
    ++group.n;
    timed &= reading->at_s.has_value();
    times += static_cast<double>(reading->at_s.value_or(0));
  }
  if (group.n > 0 && timed) group.at_s = times / static_cast<double>(group.n);
  return group;
}

GroupCounts counts_of_groups(const std::vector<std::vector<const Reading*>>& groups, int digits) {
  GroupCounts counts;
  for (const auto& group : groups) {
    counts.emplace_back();
    for (const Reading* reading : group)
      if (reading->value) counts.back().push_back(count_at(*reading->value, digits));
  }
  return counts;
}

void chart_individuals(Stability& r, const GroupCounts& counts, int digits) {
  std::vector<Point> points;
  for (const auto& group : counts) points.emplace_back(group.front());
  const IndividualsChart chart = individuals_chart(std::span(points).first(r.baseline), digits);
  r.kind = StabilityChart::individuals;
  r.mean = chart.mean;
  r.sigma = chart.sigma;
  r.df = moving_range_df(chart.ranges_n);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Subgroup& group = r.subgroups[i];
    group.mean = ratio(*points[i], 1, digits);
    group.of_mean = chart.values;
    group.of_spread = chart.ranges;
    if (i > 0) group.spread = ratio(std::abs(*points[i] - *points[i - 1]), 1, digits);
  }
}

void chart_groups(Stability& r, const GroupCounts& counts, int digits, bool by_range) {
  if (by_range && std::any_of(counts.begin(), counts.end(),
                              [&](const auto& group) { return group.size() != counts[0].size(); }))
    throw StudyRefused("subgroups of different sizes have no common chart of ranges: leave --by-range out");
  const GroupsChart chart = groups_chart(counts, digits, by_range, r.baseline);
  r.kind = by_range ? StabilityChart::ranges : StabilityChart::deviations;
  r.mean = chart.mean;
  r.sigma = chart.sigma;
  r.df = chart.df;
  r.sigma_between = chart.sigma_between;
  r.between_negative = chart.between_negative;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Subgroup& group = r.subgroups[i];
    group.mean = chart.means[i];
    group.of_mean = chart.of_means[i];
    group.spread = chart.spreads[i];
    group.of_spread = chart.of_spreads[i];
  }
}

void add_cusum(Stability& r, const StabilitySettings& s) {
  Cusum cusum({s.k, s.h, false}, 0, 1);
  for (Subgroup& group : r.subgroups)
    group.cusum = cusum.take((group.mean - r.target) * std::sqrt(static_cast<double>(group.n)) / r.sigma);
}

void add_biases(Stability& r, const StabilitySettings& s) {
  const double each = (1 - s.confidence) / static_cast<double>(r.subgroups.size());
  const double t = t_quantile(1 - each / 2, r.df);
  for (Subgroup& group : r.subgroups) {
    const double bias = group.mean - *s.reference,
                 half = t * r.sigma / std::sqrt(static_cast<double>(group.n));
    group.bias = Interval{bias - half, bias + half};
    group.bias_shown = std::abs(bias) > std::hypot(half, 2 * s.u_reference);
  }
}

/// Times that grow from subgroup to subgroup, in days behind the first; none otherwise.
std::optional<std::vector<double>> days_of(const std::vector<Subgroup>& groups) {
  std::vector<double> days;
  for (const Subgroup& group : groups) {
    if (!group.at_s) return std::nullopt;
    days.push_back((*group.at_s - *groups.front().at_s) / seconds_of_day);
    if (days.size() > 1 && !(days.back() > days[days.size() - 2])) return std::nullopt;
  }
  return days;
}

StabilityDrift drift_of(const Stability& r, double confidence) {
  std::vector<double> at, means;
  for (const Subgroup& group : r.subgroups) means.push_back(group.mean - r.mean);
  const auto days = days_of(r.subgroups);
  if (days)
    at = *days;
  else
    for (std::size_t i = 0; i < means.size(); ++i) at.push_back(static_cast<double>(i));
  const LineFit fit = line_fit(at, means);
  const double half = t_quantile((1 + confidence) / 2, fit.df) * fit.u_slope;
  return {days.has_value(),
          at.back(),
          fit.slope,
          fit.u_slope > 0 ? t_two_sided(fit.slope / fit.u_slope, fit.df) : (fit.slope == 0 ? 1.0 : 0.0),
          {fit.slope - half, fit.slope + half}};
}

}  // namespace

const char* name_of(StabilityChart chart) {
  switch (chart) {
    case StabilityChart::individuals:
      return "I-MR";
    case StabilityChart::ranges:
      return "Xbar-R";
    case StabilityChart::deviations:
      break;
  }
  return "Xbar-S";
}

bool Stability::in_control() const {
  return resolvable() && std::none_of(subgroups.begin(), subgroups.end(), [](const Subgroup& group) {
           return group.mean_out || group.spread_out || group.cusum.out;
         });
}

Stability stability_study(const StudyTable& table, const StabilitySettings& s) {
  const auto groups = grouped(table);
  const int digits = table.digits();
  Stability r;
  for (const auto& group : groups) {
    r.subgroups.push_back(subgroup_of(group));
    if (r.subgroups.back().n == 0)
      throw StudyRefused(fmt::format("subgroup '{}' has no value: leave it out, or measure it again",
                                     r.subgroups.back().name));
  }
  const auto alone = std::count_if(r.subgroups.begin(), r.subgroups.end(),
                                   [](const Subgroup& group) { return group.n == 1; });
  const bool individuals = static_cast<std::size_t>(alone) == r.subgroups.size();
  if (alone > 0 && !individuals) {
    const auto first = std::find_if(r.subgroups.begin(), r.subgroups.end(),
                                    [](const Subgroup& group) { return group.n == 1; });
    throw StudyRefused(
        fmt::format("subgroup '{}' has 1 value, others have more: at least two are needed, or one "
                    "in each",
                    first->name));
  }
  r.baseline = s.baseline == 0 ? groups.size() : s.baseline;
  if (r.baseline < least_groups || r.baseline > groups.size())
    throw StudyRefused(fmt::format("limits from {} of {} subgroups: {} at least, and no more than there are",
                                   r.baseline, groups.size(), least_groups));
  const GroupCounts counts = counts_of_groups(groups, digits);
  if (individuals)
    chart_individuals(r, counts, digits);
  else
    chart_groups(r, counts, digits, s.by_range);
  r.cusum_limit = s.h;
  r.target = s.reference.value_or(r.mean);
  if (!r.resolvable()) return r;
  for (Subgroup& group : r.subgroups) {
    group.mean_out = beyond(group.mean, group.of_mean);
    group.spread_out = group.spread && beyond(*group.spread, group.of_spread);
  }
  add_cusum(r, s);
  if (s.reference) add_biases(r, s);
  r.drift = drift_of(r, s.confidence);
  if (!r.drift->by_time)
    r.notes.emplace_back(
        "not every reading states a time, or times do not grow from subgroup to subgroup: the drift is per "
        "subgroup");
  else if (r.drift->span < 1)
    r.notes.emplace_back("all subgroups lie within a day: what changes from day to day is not in the study");
  return r;
}

}  // namespace datum::quality
