// Capability of one series in its newest segment, with the points that it is of.
#pragma once

#include <vector>

#include "daemon/quality/spc/spc_report.h"

namespace datum::quality {

struct SeriesCapability {
  std::size_t segment = 0;          // its index in the book
  std::vector<SeriesPoint> points;  // in order; INVALID ones have none
  Capability capability;            // refused indices are absent, and its notes say why
  double mean_range = 0;            // of successive values
};

/// As spc_chart computes it of individuals. Points must have been kept, and none removed.
SeriesCapability newest_capability(const SeriesBook& book, const SeriesKey& key, const SpcSettings& settings);

}  // namespace datum::quality
