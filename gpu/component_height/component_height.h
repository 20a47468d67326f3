// Many components at once: perpendicular heights over a floor plane, and the numbers that characteristics are
// made of.
//
// C++17: CUDA sources include this header. Heights are rounded once, to whole nanometres (half to even); all
// that follows is integers, so order, threads and backend never change a byte. Lengths in um unless a name
// says nm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/component_height/body_record.h"
#include "gpu/component_height/height_ranks.h"
#include "gpu/component_height/residual_correlation.h"
#include "gpu/core/backend.h"
#include "gpu/core/kept_array.h"
#include "gpu/core/pixel_run.h"

namespace datum {

/// Largest height that is measured; beyond it a pixel counts as having no height.
inline constexpr std::int32_t max_height_nm = 1 << 26;
/// Limits of one component, so that no sum of products leaves 63 bits.
inline constexpr std::int32_t max_body_side_px = 8192;
inline constexpr std::uint32_t max_body_px = 1u << 24;

/// Pixels of one component's top, and the floor under it: z = a x + b y + c.
struct BodyPixels {
  const PixelRun* runs = nullptr;  // by rows, then columns; never overlapping
  std::uint32_t run_count = 0;
  const float* z = nullptr;  // in the order of the runs; NaN = no height
  AxisToUm x, y;             // of columns and rows: the plane's coordinates
  double a = 0, b = 0, c = 0;
};

/// What is asked of one component beside what is always given.
struct HeightDemand {
  std::vector<double> quantiles;          // q in (0, 1]; at most max_quantiles
  std::vector<std::uint32_t> top_counts;  // k of the k highest; at most max_top_counts
  double present_above_um = 0;            // counts heights above it
  bool opened_maximum = true;             // opened_max_nm and patches are asked for
};

/// z_(rank) of the sorted heights (ranks count from 1), and two neighbours that tell how dense heights are
/// there: about 2 sqrt(n q (1 - q)) ranks below and above.
struct OrderStatistic {
  std::uint32_t rank = 0, low_rank = 0, high_rank = 0;
  std::int32_t nm = 0, low_nm = 0, high_nm = 0;
};

/// h = mean + slope_col (col - mean_col) + slope_row (row - mean_row), least squares over the pixels with a
/// height.
struct TopPlane {
  bool defined = false;                       // the pixels span a plane
  double slope_col_nm = 0, slope_row_nm = 0;  // per pixel
  double mean_col = 0, mean_row = 0;          // of the frame
  double scc = 0, scr = 0, srr = 0;           // central second moments of the pixels' places (sums)
  double residual_rms_nm = 0;                 // divisor n - 3
};

struct HeightStatistics {
  std::uint32_t valid =
      0;  // pixels with a height; all that follows is about them and undefined where it is 0
  std::int64_t sum_nm = 0;
  std::int32_t min_nm = 0, max_nm = 0;
  std::uint32_t patches = 0;  // complete 3 x 3 patches
  std::int32_t opened_max_nm =
      0;                      // highest level that a complete patch reaches: maximum of the 3 x 3 opening
  std::uint32_t present = 0;  // heights above HeightDemand::present_above_um
  double variance_nm2 = 0;    // divisor n - 1; 0 for n = 1
  OrderStatistic median_low, median_high;  // equal for odd n; the median is their mean
  std::vector<OrderStatistic> quantiles;   // nearest rank, rank = ceil(q n)
  std::vector<double> top_mean_nm;         // NaN where there are fewer than k
  std::vector<std::int32_t> top_threshold_nm;
  TopPlane top;
  Correlation correlation;  // of the residuals about the top plane, beyond 8 rms counted as 8 rms
  double correlated_nm2 =
      0;  // the variance of that, times (S - 1): what correlation adds to valid * variance of a mean
};

/// Nearest rank of quantile q among n: ceil(q n); a product within 4 units of its last place above an integer
/// is that integer, so that 0.07 of 100 is rank 7.
std::uint32_t nearest_rank(double q, std::uint32_t n);

/// What a plan asks of one of its components.
HeightDemand demand_of(const SitePlan& site);

/// Memory for one body after the other. After measure_body() it holds the body's heights in the order of its runs, no_height
/// where there is none.
struct BodyScratch {
  KeptArray<std::int32_t> nm;
  height::HeightChoice choice;
  ResidualImage residuals;
};

/// The exact part, on the CPU. Arguments as measure_heights demands them.
BodyRecord measure_body(const BodyPixels& body, const HeightDemand& demand, Isa isa, BodyScratch* scratch);
BodyRecord measure_body(const BodyPixels& body, const HeightDemand& demand, Isa isa);

/// The rest, for the record of any backend.
HeightStatistics derive(const BodyRecord& record, const HeightDemand& demand);

/// Measures `count` components. Throws std::invalid_argument: a null pointer with a size, a component beyond
/// the limits above, a quantile outside (0, 1], a top count of 0, too many of either, a plane or place that
/// is not finite.
void measure_heights(const BodyPixels* bodies, const HeightDemand* demands, std::size_t count,
                     const Backend& backend, HeightStatistics* statistics);

}  // namespace datum
