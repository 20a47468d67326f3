// Control charts of values in their order: individuals with moving ranges, means with ranges or standard deviations, EWMA, CUSUM
// (D. C. Montgomery, "Introduction to Statistical Quality Control"). A missing value is a gap: no range reaches across it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/quality/statistics/exact.h"
#include "daemon/rules/drift_watch.h"
#include "daemon/series/series.h"

namespace datum::quality {

struct ControlLimits {
  double centre = 0, lower = 0, upper = 0;
};

struct IndividualsChart {
  std::uint64_t n = 0, ranges_n = 0;
  double mean = 0, mean_range = 0, sigma = 0;  // sigma: mean range / d2(2)
  ControlLimits values, ranges;
};
/// Limits at mean +- 3 sigma, of ranges at D4 times the mean range; all 0 width where fewer than two values follow each other.
IndividualsChart individuals_chart(std::span<const Point> points, int digits);
/// The same from the sums of values and of moving ranges.
IndividualsChart individuals_chart(const ExactSums& values, const ExactSums& ranges, int digits);

/// Subgroups of any size from two on; limits of each group.
struct GroupsChart {
  bool by_range = false;
  std::size_t groups = 0;
  double mean = 0, mean_spread = 0, sigma = 0;  // within groups
  double df = 0;                                // effective degrees of freedom of sigma
  double sigma_between = 0;  // of groups beyond what sigma explains; negative raw variances count as 0
  bool between_negative = false;
  std::vector<double> means, spreads;  // of each group
  std::vector<ControlLimits> of_means, of_spreads;
};
/// Means with ranges (groups of one size) or standard deviations: sigma from Rbar / d2, sbar / c4, or of unequal groups from the pooled s
/// over c4. Centre, sigma and their limits come from the first `baseline` groups (phase 1), or of 0 from all. Throws
/// std::invalid_argument: a group of fewer than two, or ranges of unequal groups.
GroupsChart groups_chart(const std::vector<std::vector<std::int64_t>>& groups, int digits, bool by_range,
                         std::size_t baseline = 0);

/// A gap leaves z as it is, and has no point.
std::vector<std::optional<EwmaPoint>> ewma_chart(std::span<const Point> points, int digits, double target,
                                                 double sigma, double lambda, double width);

/// Tabular: k and h in sigma; `head_start` begins at h / 2. After a signal it begins anew.
std::vector<std::optional<CusumPoint>> cusum_chart(std::span<const Point> points, int digits, double target,
                                                   double sigma, double k, double h, bool head_start);

}  // namespace datum::quality
