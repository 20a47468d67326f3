// Control limits from phase 1, and what they say of the results behind it.
#pragma once

#include <string>
#include <vector>

#include "daemon/charts/chart_watch.h"
#include "daemon/inspection/recipe/chart_rules.h"

namespace datum::quality {

/// What a person orders.
struct FreezeOrder {
  std::string recipe, by, at;  // `at`: ISO 8601 UTC, now
  ChartRules rules;
  std::uint64_t first = 0, last = 0;   // results; 0: the first and the last of the newest segment
  std::vector<RemovedResult> removed;  // with their causes: gaps in phase 1
  std::uint64_t least = 25;            // values of a series
};

/// A series that gets no limits.
struct RefusedSeries {
  SeriesKey key;
  std::string why;
};

struct Frozen {
  FrozenLimits limits;
  std::vector<RefusedSeries> refused;
  std::vector<ChartHit> hits;  // of the rules by these limits, within phase 1
};

/// The points of the book's series must have been kept. Throws LimitsRefused: no result, a removed one that is not of phase 1, or no series
/// with enough values.
Frozen freeze(const SeriesBook& book, const FreezeOrder& order);

/// Hits of a series behind phase 1, as the running cell finds them: the series begins anew behind each of `acknowledged`, and where its
/// segment ends. Its points must have been kept. Empty where the limits have no such series.
std::vector<ChartHit> frozen_hits(const SeriesBook& book, const SeriesKey& key, const FrozenLimits& limits,
                                  const std::vector<std::uint64_t>& acknowledged);

}  // namespace datum::quality
