#include "gpu/board/board_measurer.h"

#include <algorithm>
#include <vector>

#include "gpu/board/cpu_board.h"
#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/parallel_for.h"

namespace datum {

void work_on_sites(const BoardPlan& plan, const FrameView& frame, const SiteRecord* records, unsigned threads,
                   const SiteWork& work) {
  struct Kept {  // of one thread
    SiteMemory pixels;
    KeptArray<std::int32_t> nm;
  };
  const Isa isa = best_isa();
  const std::vector<std::uint32_t> order = largest_first(plan);
  std::vector<Kept> kept(std::max(1u, threads));
  parallel_for(threads, order.size(), [&](std::size_t k, unsigned slot) {
    const std::uint32_t i = order[k];
    const SitePlan& site = plan.sites[i];
    const PlaneFit& fit = records[i].fit;
    if (fit.status != FitStatus::ok) return work(i, {});
    SiteMemory& memory = kept[slot].pixels;
    const float* ring = take_ring_z(plan, site, frame, isa, &memory);
    const float* body = take_body(plan, site, frame, isa, &memory);
    std::int32_t* nm = kept[slot].nm.of(site.body_pixels);
    height::quantise_heights(body_pixels(plan, site, body, fit), isa, nm);
    work(i, {ring, body, nm});
  });
}

void BoardMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                            unsigned threads, const SiteWork& work) {
  measure(plan, frame, records);
  work_on_sites(plan, frame, records, threads, work);
}

}  // namespace datum
