// A board on the CPU: rings to planes, their evidence, bodies to heights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/board/board_measurer.h"
#include "gpu/board/site_record.h"
#include "gpu/component_height/component_height.h"
#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Throws std::invalid_argument naming the site and what is wrong: runs outside the frame or the plan,
/// pixel counts that differ from the runs', bounds or thresholds that fit_planes refuses, demands beyond
/// max_quantiles, max_top_counts.
void check(const BoardPlan& plan, const FrameView& frame);

/// What a plan means for the floor of one of its sites.
PlaneFitSettings fit_settings(const BoardPlan& plan, const SitePlan& site);

/// A site's body over a floor; `z` of its pixels in the order of its runs.
BodyPixels body_pixels(const BoardPlan& plan, const SitePlan& site, const float* z, const PlaneFit& fit);

/// The planes of all rings: plan.site_count fits.
void fit_rings(const BoardPlan& plan, const FrameView& frame, const Backend& backend, PlaneFit* fits);

/// All of a board: plan.site_count records. Ring and body are left empty where the fit is not ok. `work`: of
/// BoardMeasurer::measure(); may be empty.
void measure_board(const BoardPlan& plan, const FrameView& frame, const Backend& backend, SiteRecord* records,
                   const SiteWork& work = {});

/// A plan's sites by their pixels: the order in which threads take them.
std::vector<std::uint32_t> largest_first(const BoardPlan& plan);

class CpuBoardMeasurer : public BoardMeasurer {
 public:
  explicit CpuBoardMeasurer(Backend backend);
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override;
  /// With its own backend's threads.
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records, unsigned threads,
               const SiteWork& work) override;
  std::string describe() const override;

 private:
  Backend backend_;
};

}  // namespace datum
