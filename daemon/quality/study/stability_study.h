// Stability of a gauge: one master, a few readings in each shift, over weeks (AIAG MSA 4th edition).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/quality/spc/charts.h"
#include "daemon/quality/study/reference_text.h"
#include "daemon/quality/study/study_table.h"

namespace datum::quality {

struct StabilitySettings {
  std::optional<double> reference{};  // target of the CUSUM; none: the mean of all readings
  double k = 0.5, h = 4.77;           // of the CUSUM, in sigma of a mean
};

/// Subgroups in their order; numbers in the values' unit, of the CUSUM in standard deviations of a mean.
struct Stability {
  std::vector<std::string> names;  // of the subgroups
  std::vector<std::size_t> sizes;
  GroupsChart chart;  // of means and standard deviations
  double target = 0;
  std::vector<CusumPoint> cusum;                               // of (mean - target) / (sigma / sqrt(size))
  std::vector<std::string> means_out, spreads_out, cusum_out;  // names of subgroups

  bool resolvable() const { return chart.sigma > 0; }
  bool in_control() const {
    return resolvable() && means_out.empty() && spreads_out.empty() && cusum_out.empty();
  }
};

/// A subgroup is an operator of the table, such as a shift; 20 are wanted. Readings stand in the order of measurement. Throws StudyRefused:
/// several parts, fewer than 10 subgroups, a subgroup of fewer than two values, or one that others interrupt, whose place in time is unknown.
Stability stability_study(const StudyTable& table, const StabilitySettings& settings);

Told tell(const Stability& result, const StabilitySettings& settings, const std::string& unit);

}  // namespace datum::quality
