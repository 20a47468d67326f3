// A component's characteristic over days, as a chart and a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/report/page_template.h"
#include "daemon/view/result_index.h"

namespace datum {

/// One measured value with the result that it stands in.
struct SeriesValue {
  std::uint64_t sequence = 0;
  std::string measured_at, unit_id;
  CheckVerdict check;
};

struct ComponentHistory {
  SeriesName name;
  std::vector<SeriesDay> days;      // rising
  std::vector<SeriesValue> newest;  // newest first
};

/// Fields of the template `component`: the days with mean, least and most, the limits of the newest result, the newest values.
/// A day without a measured value is a gap of the line.
void set_history(PageData& data, const ComponentHistory& history);

}  // namespace datum
