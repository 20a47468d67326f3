// Confidence intervals of variance components. MLS: modified large sample (Graybill and Wang 1980; R. K. Burdick, C. M. Borror and
// D. C. Montgomery, "Design and Analysis of Gauge R&R Studies", SIAM 2005). Generalised: S. Weerahandi, JASA 88, 1993, 899.
#pragma once

#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

struct IntervalSettings {
  double confidence = 0.95;
  std::uint64_t draws = 100'000;  // of generalised intervals
  std::uint64_t seed = 1;         // of their counter-based generator
};

enum class Design : std::uint8_t { crossed, crossed_pooled, nested, one_way };

/// Intervals of a balanced study's table with `trials` values a cell; for sources without scatter some have none. A nested study and a
/// one-way study have generalised intervals of GRR and PV, since GRR is a difference of mean squares there, or exact.
ComponentIntervals intervals_of(const GaugeTable& table, Design design, int trials,
                                const IntervalSettings& settings);

}  // namespace datum::quality
