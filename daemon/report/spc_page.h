// The page of charts and capability, from the report that datumctl spc --json prints: both have the same numbers.
#pragma once

#include <string>

#include "daemon/quality/spc/spc_report.h"

namespace datum {

/// A section of one series by spc_chart, with a part for each segment: individuals and moving ranges with their limits and the rules that
/// are hit, the histogram with limits, capability, the values. `id` begins the ids of its tables. At most `most_values` newest values
/// of a segment are drawn and listed; the page says so.
std::string spc_section(const quality::SpcReport& chart, const std::string& id,
                        std::size_t most_values = 500);

/// All series by spc_summary, in a table.
std::string spc_overview(const quality::SpcReport& summary);

}  // namespace datum
