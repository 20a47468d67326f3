#include "daemon/quality/spc/charts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "daemon/quality/statistics/control_constants.h"

namespace datum::quality {

IndividualsChart individuals_chart(const ExactSums& values, const ExactSums& ranges, int digits) {
  IndividualsChart chart;
  chart.n = values.n;
  chart.ranges_n = ranges.n;
  if (values.n == 0) return chart;
  const RangeConstants two = range_constants(2);
  chart.mean = values.mean(digits);
  chart.mean_range = ranges.n > 0 ? ranges.mean(digits) : 0;
  chart.sigma = chart.mean_range / two.d2;
  chart.values = {chart.mean, chart.mean - 3 * chart.sigma, chart.mean + 3 * chart.sigma};
  chart.ranges = {chart.mean_range, 0, two.upper_factor() * chart.mean_range};
  return chart;
}

IndividualsChart individuals_chart(std::span<const Point> points, int digits) {
  ExactSums values, ranges;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i]) continue;
    values.add(*points[i]);
    if (i > 0 && points[i - 1]) ranges.add(std::abs(*points[i] - *points[i - 1]));
  }
  return individuals_chart(values, ranges, digits);
}

namespace {

/// Sums over the subgroups from which limits come.
struct GroupSums {
  ExactSums all;
  double within = 0, df = 0, spreads = 0, squared_sizes = 0;
  std::size_t groups = 0;
  bool same = true;
};

void set_sigma(GroupsChart& chart, const GroupSums& s, double size) {
  const double k = static_cast<double>(s.groups);
  chart.mean_spread = s.spreads / k;
  if (chart.by_range) {
    const RangeConstants range = range_constants(static_cast<int>(size));
    chart.sigma = chart.mean_spread / range.d2;
    // A standard deviation of df has a relative variance of 1 / (2 df).
    chart.df = k * range.d2 * range.d2 / (2 * range.d3 * range.d3);
  } else if (s.same) {
    chart.sigma = chart.mean_spread / c4(size);
    chart.df = k * c4(size) * c4(size) / (2 * (1 - c4(size) * c4(size)));
  } else {
    chart.sigma = std::sqrt(s.within / s.df) / c4(1 + s.df);
    chart.df = s.df;
  }
}

/// One-way analysis of variance: (MSB - MSW) / n0.
void set_between(GroupsChart& chart, const GroupSums& s, int digits) {
  if (s.groups < 2) return;
  const double k = static_cast<double>(s.groups), total = static_cast<double>(s.all.n);
  const double n0 = (total - s.squared_sizes / total) / (k - 1);
  const double between = (s.all.deviations(digits) - s.within) / (k - 1) - s.within / s.df;
  chart.between_negative = between < 0;
  chart.sigma_between = std::sqrt(std::max(0.0, between) / n0);
}

void add_limits(GroupsChart& chart, double size) {
  const double half = 3 * chart.sigma / std::sqrt(size);
  chart.of_means.push_back({chart.mean, chart.mean - half, chart.mean + half});
  if (chart.by_range) {
    const RangeConstants range = range_constants(static_cast<int>(size));
    const double centre = range.d2 * chart.sigma;
    chart.of_spreads.push_back({centre, range.lower_factor() * centre, range.upper_factor() * centre});
  } else {
    const double centre = c4(size) * chart.sigma;
    chart.of_spreads.push_back({centre, s_lower_factor(size) * centre, s_upper_factor(size) * centre});
  }
}

}  // namespace

GroupsChart groups_chart(const std::vector<std::vector<std::int64_t>>& groups, int digits, bool by_range,
                         std::size_t baseline) {
  GroupsChart chart;
  chart.by_range = by_range;
  chart.groups = groups.size();
  GroupSums base;
  bool same = true;
  for (const auto& group : groups) {
    if (group.size() < 2) throw std::invalid_argument("a subgroup needs two values");
    same &= group.size() == groups[0].size();
    const ExactSums sums = sums_of(group);
    chart.means.push_back(sums.mean(digits));
    const auto [low, high] = std::minmax_element(group.begin(), group.end());
    chart.spreads.push_back(by_range ? ratio(*high - *low, 1, digits) : std::sqrt(sums.variance(digits)));
    if (baseline > 0 && base.groups == baseline) continue;
    ++base.groups;
    base.same = same;
    base.all.merge(sums);
    base.spreads += chart.spreads.back();
    base.within += sums.deviations(digits);
    base.df += static_cast<double>(sums.n - 1);
    base.squared_sizes += static_cast<double>(sums.n * sums.n);
  }
  if (groups.empty()) return chart;
  if (by_range && !same)
    throw std::invalid_argument("subgroups of different size have no common chart of ranges: take s");
  chart.mean = base.all.mean(digits);
  set_sigma(chart, base, static_cast<double>(groups[0].size()));
  set_between(chart, base, digits);
  for (const auto& group : groups) add_limits(chart, static_cast<double>(group.size()));
  return chart;
}

std::vector<std::optional<EwmaPoint>> ewma_chart(std::span<const Point> points, int digits, double target,
                                                 double sigma, double lambda, double width) {
  std::vector<std::optional<EwmaPoint>> chart;
  Ewma ewma({lambda, width}, target, sigma);
  for (const Point& point : points)
    chart.push_back(point ? std::optional(ewma.take(ratio(*point, 1, digits))) : std::nullopt);
  return chart;
}

std::vector<std::optional<CusumPoint>> cusum_chart(std::span<const Point> points, int digits, double target,
                                                   double sigma, double k, double h, bool head_start) {
  std::vector<std::optional<CusumPoint>> chart;
  Cusum cusum({k, h, head_start}, target, sigma);
  for (const Point& point : points)
    chart.push_back(point ? std::optional(cusum.take(ratio(*point, 1, digits))) : std::nullopt);
  return chart;
}

}  // namespace datum::quality
