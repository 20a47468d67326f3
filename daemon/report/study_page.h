// The page of a gauge study in its six panels: components of variation; ranges and means by operator; values by part and by operator;
// the interaction.
#pragma once

#include <string>

#include "daemon/quality/study/gauge_report.h"

namespace datum {

/// A section of one series: variances, their intervals and shares, the analysis of variance, the six panels with the tables of their
/// numbers, what is missing, what a reader must know. `id` begins the ids of its tables.
std::string study_section(const std::string& title, const quality::GaugeReport& report,
                          const std::string& id);

}  // namespace datum
