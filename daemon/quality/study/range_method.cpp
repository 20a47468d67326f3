#include "daemon/quality/study/range_method.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "daemon/quality/statistics/control_constants.h"
#include "daemon/quality/statistics/exact.h"

namespace datum::quality {
namespace {

double range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

std::int64_t range_of(const Trials& cell) {
  const auto [low, high] = std::minmax_element(cell.begin(), cell.end());
  return *high - *low;
}

}  // namespace

std::vector<WideCell> wide_cells(const GaugeData& data) {
  std::map<std::size_t, ExactSums> ranges;  // by the cells' size
  for (const auto& part : data.cells)
    for (const Trials& cell : part)
      if (cell.size() > 1) ranges[cell.size()].add(range_of(cell));
  std::vector<WideCell> wide;
  for (std::size_t i = 0; i < data.cells.size(); ++i) {
    for (std::size_t j = 0; j < data.cells[i].size(); ++j) {
      const Trials& cell = data.cells[i][j];
      if (cell.size() < 2) continue;
      const double range = ratio(range_of(cell), 1, data.digits);
      const double limit = range_constants(static_cast<int>(cell.size())).upper_factor() *
                           ranges[cell.size()].mean(data.digits);
      if (range > limit) wide.push_back({i, j, range});
    }
  }
  return wide;
}

RangeMethod range_method(const GaugeData& data) {
  if (!data.balanced() || data.cells.empty() || data.cells[0][0].size() < 2)
    throw StudyRefused("the range method needs two values or more in each cell, and as many in each");
  const double r = static_cast<double>(data.cells[0][0].size());
  std::vector<double> part_means, operator_means;
  std::vector<ExactSums> operators(data.operators.size());
  ExactSums ranges;
  for (const auto& part : data.cells) {
    ExactSums of_part;
    for (std::size_t j = 0; j < part.size(); ++j) {
      ranges.add(range_of(part[j]));
      const ExactSums cell = sums_of(part[j]);
      of_part.merge(cell);
      operators[j].merge(cell);
    }
    part_means.push_back(of_part.mean(data.digits));
  }
  for (const ExactSums& sums : operators) operator_means.push_back(sums.mean(data.digits));
  const double p = static_cast<double>(part_means.size());
  const RangeConstants of_trials = range_constants(static_cast<int>(r));
  RangeMethod m;
  m.mean_range = ranges.mean(data.digits);
  m.difference = range_of(operator_means);
  m.part_range = range_of(part_means);
  m.repeatability = m.mean_range / of_trials.d2;
  if (operator_means.size() > 1) {
    const double spread = m.difference / range_constants(static_cast<int>(operator_means.size())).single();
    m.reproducibility =
        std::sqrt(std::max(0.0, spread * spread - m.repeatability * m.repeatability / (p * r)));
  }
  m.gauge = std::hypot(m.repeatability, m.reproducibility);
  m.parts = m.part_range / range_constants(static_cast<int>(part_means.size())).single();
  m.total = std::hypot(m.gauge, m.parts);
  m.range_limit = of_trials.upper_factor() * m.mean_range;
  m.wide = wide_cells(data);
  return m;
}

std::optional<int> distinct_categories(double sigma_parts, double sigma_gauge) {
  if (!(sigma_gauge > 0)) return std::nullopt;
  return std::max(1, static_cast<int>(std::min(1e9, std::floor(1.41 * sigma_parts / sigma_gauge))));
}

}  // namespace datum::quality
