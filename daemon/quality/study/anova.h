// Analyses of variance of gauge studies, from exact sums: AIAG MSA 4th edition; D. C. Montgomery, "Design and Analysis of Experiments".
// All effects are random. Each function throws StudyRefused.
#pragma once

#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

struct CrossedAnova {
  double mean = 0;
  GaugeTable full;    // rows part, operator, part x operator, repeatability
  GaugeTable pooled;  // without interaction: rows part, operator, repeatability
  double p_interaction = 0;
  bool pooled_chosen = false;  // p_interaction > alpha
  const GaugeTable& chosen() const { return pooled_chosen ? pooled : full; }
};

/// Each part by each operator. `alpha_pool`: the interaction is pooled where its p-value exceeds it.
CrossedAnova crossed_anova(const GaugeData& data, double alpha_pool);

struct NestedAnova {
  double mean = 0;
  GaugeTable table;  // rows operator, part in operator, repeatability
};
/// The parts of an operator are measured by nobody else: the operators' part is confounded with their batches.
NestedAnova nested_anova(const GaugeData& data);

struct OneWayAnova {
  double mean = 0;
  GaugeTable table;  // rows part, repeatability
};
/// Groups may differ in size; the variance between groups then has the mean group size n0 = (N - sum n^2 / N) / (groups - 1).
OneWayAnova one_way_anova(const std::vector<Trials>& groups, int digits);
/// Of a study without operators.
OneWayAnova one_way_anova(const GaugeData& data);

/// The larger of a raw estimate and 0.
double not_negative(double raw);

}  // namespace datum::quality
