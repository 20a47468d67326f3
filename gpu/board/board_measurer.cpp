#include "gpu/board/board_measurer.h"

#include <algorithm>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/parallel_for.h"

namespace datum {

void work_on_site(const BoardPlan& plan, const FrameView& frame, const SiteRecord& record, std::size_t i,
                  SiteScratch& scratch, const SiteWork& work) {
  const SitePlan& site = plan.sites[i];
  if (record.fit.status != FitStatus::ok) return work(i, {});
  const Isa isa = best_isa();
  const float* ring = take_ring_z(plan, site, frame, isa, &scratch.pixels);
  const float* body = take_body(plan, site, frame, isa, &scratch.pixels);
  std::int32_t* nm = scratch.nm.of(site.body_pixels);
  height::quantise_heights(body_pixels(plan, site, body, record.fit), isa, nm);
  work(i, {ring, body, nm});
}

void work_on_sites(const BoardPlan& plan, const FrameView& frame, const SiteRecord* records,
                   const std::vector<std::uint32_t>& sites, unsigned threads, const SiteWork& work) {
  std::vector<SiteScratch> scratch(std::max(1u, threads));
  parallel_for(threads, sites.size(), [&](std::size_t k, unsigned slot) {
    work_on_site(plan, frame, records[sites[k]], sites[k], scratch[slot], work);
  });
}

void work_on_sites(const BoardPlan& plan, const FrameView& frame, const SiteRecord* records, unsigned threads,
                   const SiteWork& work) {
  work_on_sites(plan, frame, records, largest_first(plan), threads, work);
}

void BoardMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                            unsigned threads, const SiteWork& work) {
  measure(plan, frame, records);
  work_on_sites(plan, frame, records, threads, work);
}

void BoardMeasurer::expect(const BoardPlan&, const std::shared_ptr<const void>&, const EarlyWorkMaker&) {}

}  // namespace datum
