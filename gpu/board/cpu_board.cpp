#include "gpu/board/cpu_board.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height.h"
#include "gpu/core/parallel_for.h"
#include "gpu/floor_evidence/floor_evidence.h"

namespace datum {
namespace {

std::vector<RingPoints> take_rings(const BoardPlan& plan, const FrameView& frame, const Backend& backend) {
  std::vector<RingPoints> rings(plan.site_count);
  parallel_for(backend.threads, rings.size(), [&](std::size_t i, unsigned) {
    rings[i] = take_ring(plan, plan.sites[i], frame, backend.isa);
  });
  return rings;
}

/// One batch has one threshold; with a noise profile of one value all floors are one batch.
std::vector<PlaneFit> fit(const BoardPlan& plan, const std::vector<RingPoints>& rings,
                          const Backend& backend) {
  std::map<std::pair<float, float>, std::vector<std::size_t>> batches;
  for (std::size_t i = 0; i < plan.site_count; ++i)
    batches[{plan.sites[i].threshold, plan.sites[i].refit_threshold}].push_back(i);
  std::vector<PlaneFit> fits(plan.site_count);
  for (const auto& [thresholds, members] : batches) {
    std::vector<PlanePoints> points;
    for (std::size_t i : members) {
      const SitePlan& s = plan.sites[i];
      const RingPoints& ring = rings[i];
      points.push_back({ring.x.get(), ring.y.get(), ring.z.get(), s.ring_pixels, s.half_x, s.half_y, s.seed});
    }
    std::vector<PlaneFit> batch(members.size());
    fit_planes(points.data(), points.size(), fit_settings(plan, plan.sites[members.front()]), backend,
               batch.data());
    for (std::size_t k = 0; k < members.size(); ++k) fits[members[k]] = batch[k];
  }
  return fits;
}

RingRecord ring_record(const BoardPlan& plan, const SitePlan& site, const RingPoints& ring,
                       const PlaneFit& fit, Isa isa) {
  const RingPixels pixels{plan.runs + site.ring_run, plan.run_side + site.ring_run, ring.x.get(),
                          ring.y.get(), ring.z.get()};
  return measure_ring(site, pixels, fit, isa);
}

BodyRecord body_record(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                       const PlaneFit& fit, Isa isa) {
  const std::unique_ptr<float[]> z = take_body(plan, site, frame, isa);
  BodyPixels body;
  body.runs = plan.runs + site.body_run;
  body.run_count = site.body_runs;
  body.z = z.get();
  body.x = site.grid.x;
  body.y = site.grid.y;
  body.a = fit.a;
  body.b = fit.b;
  body.c = fit.c;
  return measure_body(body, demand_of(site), isa);
}

}  // namespace

PlaneFitSettings fit_settings(const BoardPlan& plan, const SitePlan& site) {
  PlaneFitSettings s;
  s.mode = plan.mode;
  s.threshold = site.threshold;
  s.refit_threshold = site.refit_threshold;
  s.confidence = plan.confidence;
  s.max_hypotheses = plan.max_hypotheses;
  return s;
}

void fit_rings(const BoardPlan& plan, const FrameView& frame, const Backend& backend, PlaneFit* fits) {
  check(plan, frame);
  const std::vector<PlaneFit> all = fit(plan, take_rings(plan, frame, backend), backend);
  std::copy(all.begin(), all.end(), fits);
}

void measure_board(const BoardPlan& plan, const FrameView& frame, const Backend& backend,
                   SiteRecord* records) {
  check(plan, frame);
  const std::vector<RingPoints> rings = take_rings(plan, frame, backend);
  const std::vector<PlaneFit> fits = fit(plan, rings, backend);
  parallel_for(backend.threads, plan.site_count, [&](std::size_t i, unsigned) {
    records[i] = SiteRecord{};
    records[i].fit = fits[i];
    if (fits[i].status != FitStatus::ok) return;
    records[i].ring = ring_record(plan, plan.sites[i], rings[i], fits[i], backend.isa);
    records[i].body = body_record(plan, plan.sites[i], frame, fits[i], backend.isa);
  });
}

CpuBoardMeasurer::CpuBoardMeasurer(Backend backend) : backend_(std::move(backend)) {}

void CpuBoardMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) {
  measure_board(plan, frame, backend_, records);
}

std::string CpuBoardMeasurer::describe() const { return datum::describe(backend_); }

}  // namespace datum
