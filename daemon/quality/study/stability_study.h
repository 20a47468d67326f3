// Stability of a gauge: one master, a few readings in each shift, over weeks (AIAG MSA 4th edition, chapter III section B; charts by
// D. C. Montgomery, "Introduction to Statistical Quality Control").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/spc/charts.h"
#include "daemon/quality/study/reference_text.h"
#include "daemon/quality/study/study_table.h"

namespace datum::quality {

struct StabilitySettings {
  std::optional<double>
      reference{};  // certified value: target of the CUSUM, and bias of each subgroup; none: the mean of all
  double u_reference = 0;    // its standard uncertainty
  double k = 0.5, h = 4.77;  // of the CUSUM, in sigma of a mean
  std::size_t baseline = 0;  // limits from the first so many subgroups (phase 1); 0: from all
  bool by_range = false;     // sigma from ranges in place of standard deviations
  double confidence = 0.95;  // of drift and biases
};

enum class StabilityChart : std::uint8_t { individuals, ranges, deviations };
const char* name_of(StabilityChart chart);  // "I-MR", "Xbar-R", "Xbar-S"

/// Numbers in the values' unit, of the CUSUM in standard deviations of a mean.
struct Subgroup {
  std::string name;
  std::size_t n = 0;
  std::optional<double> at_s;  // mean time of its readings, UTC in s; none: a reading states no time
  double mean = 0;
  ControlLimits of_mean;
  std::optional<double> spread;  // moving range (none of the first), range, or standard deviation
  ControlLimits of_spread;
  CusumPoint cusum;              // of (mean - target) / (sigma / sqrt(n))
  std::optional<Interval> bias;  // of mean - reference by the readings, all subgroups at once (Bonferroni)
  bool bias_shown = false;       // beyond that interval and the reference's expanded uncertainty (k = 2)
  bool mean_out = false, spread_out = false;
};

/// Line through the subgroups' means, each with the same weight: readings of one subgroup share its conditions.
struct StabilityDrift {
  bool by_time = false;     // over days, else over subgroups
  double span = 0;          // days, or subgroups, from the first to the last
  double slope = 0, p = 1;  // per day, or per subgroup; p: that chance alone gives such a slope
  Interval interval;        // of the slope
  bool shown(double confidence) const { return p < 1 - confidence; }
};

struct Stability {
  StabilityChart kind = StabilityChart::deviations;
  std::vector<Subgroup> subgroups;      // in their order
  std::size_t baseline = 0;             // subgroups that gave the limits
  double mean = 0, sigma = 0;           // centre line; standard deviation of a reading within a subgroup
  double df = 0;                        // effective, of sigma
  std::optional<double> sigma_between;  // none of individuals
  bool between_negative = false;        // its raw variance, which counts as 0
  double target = 0, cusum_limit = 0;
  std::optional<StabilityDrift> drift;  // none where sigma is 0
  std::vector<std::string> notes;

  bool resolvable() const { return sigma > 0; }
  bool in_control() const;
};

/// A subgroup is an operator of the table, such as a shift; 20 are wanted. Readings stand in the order of measurement. Subgroups of one
/// value each have a chart of individuals. Throws StudyRefused: several parts, fewer than 10 subgroups or phase-1 subgroups, a subgroup
/// without values, some subgroups of one value and some of more, one that others interrupt, whose place in time is unknown, or ranges
/// of subgroups of different sizes.
Stability stability_study(const StudyTable& table, const StabilitySettings& settings);

/// What is shown, and what is not.
Told tell(const Stability& result, const StabilitySettings& settings, const std::string& unit);

}  // namespace datum::quality
