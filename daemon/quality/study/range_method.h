// Average and range method of AIAG MSA (no interaction): standard deviations beside those of the analysis of variance.
#pragma once

#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

struct WideCell {
  std::size_t part = 0, op = 0;  // indices
  double range = 0;
};

struct RangeMethod {
  double mean_range = 0, difference = 0, part_range = 0;  // Rbar, Xdiff, Rp
  double repeatability = 0, reproducibility = 0, gauge = 0, parts = 0, total = 0;
  double range_limit = 0;      // D4 Rbar
  std::vector<WideCell> wide;  // beyond it: redo or name them
  double percent_study() const { return 100 * gauge / total; }
};

/// Throws StudyRefused where the study is not balanced.
RangeMethod range_method(const GaugeData& data);

/// Cells whose range is beyond D4 times the mean range of cells of their size; also of an unbalanced study.
std::vector<WideCell> wide_cells(const GaugeData& data);

/// floor(1.41 PV / GRR), at least 1; none where GRR is 0. 1.41 is AIAG's number.
std::optional<int> distinct_categories(double sigma_parts, double sigma_gauge);

}  // namespace datum::quality
