#include "gpu/board/board_measurer.h"

#include "gpu/board/cpu_board.h"
#include "gpu/board/site_pixels.h"
#include "gpu/core/parallel_for.h"

namespace datum {

void work_on_sites(const BoardPlan& plan, const FrameView& frame, const SiteRecord* records, unsigned threads,
                   const SiteWork& work) {
  const Isa isa = best_isa();
  const std::vector<std::uint32_t> order = largest_first(plan);
  parallel_for(threads, order.size(), [&](std::size_t k, unsigned) {
    const std::uint32_t i = order[k];
    if (records[i].fit.status != FitStatus::ok) return work(i, {});
    const std::unique_ptr<float[]> ring = take_ring_z(plan, plan.sites[i], frame, isa),
                                   body = take_body(plan, plan.sites[i], frame, isa);
    work(i, {ring.get(), body.get()});
  });
}

void BoardMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                            unsigned threads, const SiteWork& work) {
  measure(plan, frame, records);
  work_on_sites(plan, frame, records, threads, work);
}

}  // namespace datum
