#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu/board/cpu_board.h"
#include "gpu/component_height/component_height.h"
#include "gpu/plane_fit/plane_fit_check.h"

namespace datum {
namespace {

[[noreturn]] void refuse(std::string what) { throw std::invalid_argument(what.insert(0, "board plan: ")); }

/// A part of the plan's runs: inside it and the frame, and with as many pixels as the site says.
void check_runs(const BoardPlan& plan, std::uint32_t first, std::uint32_t count, std::uint32_t pixels,
                const std::string& where) {
  if (std::uint64_t{first} + count > plan.run_count)
    refuse(where + " ends at run " + std::to_string(std::uint64_t{first} + count) + ", the plan has " +
           std::to_string(plan.run_count));
  std::uint64_t sum = 0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const PixelRun& run = plan.runs[i];
    if (run.row < 0 || run.row >= plan.rows || run.col < 0 || run.length <= 0 ||
        run.length > plan.cols - run.col)
      refuse(where + ": row " + std::to_string(run.row) + ", column " + std::to_string(run.col) + ", " +
             std::to_string(run.length) + " pixels do not lie in the frame of " + std::to_string(plan.cols) +
             " x " + std::to_string(plan.rows));
    const PixelRun* before = i > first ? &run - 1 : nullptr;
    if (before &&
        (run.row < before->row || (run.row == before->row && run.col < before->col + before->length)))
      refuse(where + ": row " + std::to_string(run.row) + ", column " + std::to_string(run.col) +
             ": runs do not follow each other by rows, then columns, or overlap");
    if (plan.run_side[i] >= site_sides)
      refuse(where + ": side " + std::to_string(plan.run_side[i]) + " of 0 to 3");
    sum += static_cast<std::uint64_t>(run.length);
  }
  if (sum != pixels)
    refuse(where + " has " + std::to_string(sum) + " pixels in its runs, the site says " +
           std::to_string(pixels));
}

void check_axis(const AxisToUm& axis, const std::string& where) {
  if (!std::isfinite(axis.per_index) || axis.per_index == 0 || !std::isfinite(axis.rest))
    refuse(where + ": an axis is not finite or has no scale");
}

void check_demand(const SitePlan& site, const std::string& where) {
  if (site.quantile_count > max_quantiles || site.top_count_count > max_top_counts)
    refuse(where + ": " + std::to_string(site.quantile_count) + " quantiles and " +
           std::to_string(site.top_count_count) + " top counts; allowed: 8 of each");
  for (std::uint32_t i = 0; i < site.quantile_count; ++i)
    if (!(site.quantiles[i] > 0 && site.quantiles[i] <= 1))
      refuse(where + ": quantile " + std::to_string(site.quantiles[i]) + "; allowed: above 0, at most 1");
  for (std::uint32_t i = 0; i < site.top_count_count; ++i)
    if (site.top_counts[i] == 0) refuse(where + ": the 0 highest pixels are asked for; allowed: 1 or more");
}

void check_body_size(const BoardPlan& plan, const SitePlan& site, const std::string& where) {
  if (site.body_runs == 0) return;
  const PixelRun* runs = plan.runs + site.body_run;
  std::int32_t top = runs->row, bottom = runs->row, left = runs->col, right = runs->col;
  for (std::uint32_t i = 0; i < site.body_runs; ++i) {
    top = std::min(top, runs[i].row);
    bottom = std::max(bottom, runs[i].row);
    left = std::min(left, runs[i].col);
    right = std::max(right, runs[i].col + runs[i].length - 1);
  }
  if (bottom - top >= max_body_side_px || right - left >= max_body_side_px || site.body_pixels > max_body_px)
    refuse(where + ", body: " + std::to_string(bottom - top + 1) + " rows, " +
           std::to_string(right - left + 1) + " columns, " + std::to_string(site.body_pixels) +
           " pixels; allowed: 8192 x 8192 and 2^24 pixels");
}

void check_site(const BoardPlan& plan, const SitePlan& site, const std::string& where) {
  check_runs(plan, site.ring_run, site.ring_runs, site.ring_pixels, where + ", ring");
  check_runs(plan, site.body_run, site.body_runs, site.body_pixels, where + ", body");
  check_body_size(plan, site, where);
  for (const AxisToUm& axis : {site.grid.x, site.grid.y, site.grid.z}) check_axis(axis, where);
  if (!(site.sigma_um >= 1e-12 && site.sigma_um <= 1e12))
    refuse(where + ": the sensor's noise is " + std::to_string(site.sigma_um) +
           " um; allowed: 1e-12 to 1e12");
  try {
    PlanePoints points;
    points.half_x = site.half_x;
    points.half_y = site.half_y;
    check_batch(&points, 1, fit_settings(plan, site));
  } catch (const std::invalid_argument& e) {
    refuse(where + ": " + e.what());
  }
  check_demand(site, where);
}

}  // namespace

void check(const BoardPlan& plan, const FrameView& frame) {
  if (plan.site_count > 0 && !plan.sites)
    refuse(std::string("a null pointer for ") + std::to_string(plan.site_count) + " sites");
  if (plan.run_count > 0 && !(plan.runs && plan.run_side))
    refuse(std::string("a null pointer for ") + std::to_string(plan.run_count) + " runs");
  if (plan.run_count > 0 && !frame.counts) refuse("the frame has no counts");
  if (plan.rows < 0 || plan.cols < 0 || frame.pitch < plan.cols)
    refuse(std::string("the frame has ") + std::to_string(frame.pitch) +
           " counts from row to row, its rows have " + std::to_string(plan.cols));
  if (std::int64_t{plan.rows} * plan.cols > ring_pixels_max) refuse("the frame has more than 2^28 pixels");
  for (std::uint32_t i = 0; i < plan.site_count; ++i)
    check_site(plan, plan.sites[i], std::string("site ") + std::to_string(i));
}

}  // namespace datum
