#include "gpu/board/cpu_board.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height.h"
#include "gpu/core/parallel_for.h"
#include "gpu/floor_evidence/floor_evidence.h"
#include "gpu/plane_fit/plane_fitter.h"

namespace datum {
namespace {

PlaneFit fit_of(const BoardPlan& plan, const SitePlan& site, const RingPoints& ring, PlaneFitter& fitter) {
  return fitter.fit({ring.x, ring.y, ring.z, site.ring_pixels, site.half_x, site.half_y, site.seed},
                    fit_settings(plan, site));
}

/// Memory of one thread, kept from site to site.
struct Worker {
  explicit Worker(Isa isa) : fitter(isa) {}
  SiteMemory pixels;
  PlaneFitter fitter;
  RingScratch ring;
  BodyScratch body;
};

std::vector<Worker> workers_of(const Backend& backend) {
  std::vector<Worker> workers;
  for (unsigned i = 0; i < std::max(1u, backend.threads); ++i) workers.emplace_back(backend.isa);
  return workers;
}

RingRecord ring_record(const BoardPlan& plan, const SitePlan& site, const RingPoints& ring,
                       const PlaneFit& fit, Isa isa, RingScratch* scratch) {
  const RingPixels pixels{plan.runs + site.ring_run, plan.run_side + site.ring_run, ring.x, ring.y, ring.z};
  return measure_ring(site, pixels, fit, isa, scratch);
}

}  // namespace

BodyPixels body_pixels(const BoardPlan& plan, const SitePlan& site, const float* z, const PlaneFit& fit) {
  BodyPixels body;
  body.runs = plan.runs + site.body_run;
  body.run_count = site.body_runs;
  body.z = z;
  body.x = site.grid.x;
  body.y = site.grid.y;
  body.a = fit.a;
  body.b = fit.b;
  body.c = fit.c;
  return body;
}

PlaneFitSettings fit_settings(const BoardPlan& plan, const SitePlan& site) {
  PlaneFitSettings s;
  s.mode = plan.mode;
  s.threshold = site.threshold;
  s.refit_threshold = site.refit_threshold;
  s.confidence = plan.confidence;
  s.max_hypotheses = plan.max_hypotheses;
  return s;
}

std::vector<std::uint32_t> largest_first(const BoardPlan& plan) {
  std::vector<std::uint32_t> order(plan.site_count);
  std::iota(order.begin(), order.end(), 0u);
  const auto pixels = [&](std::uint32_t i) {
    return std::uint64_t{plan.sites[i].ring_pixels} + plan.sites[i].body_pixels;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return pixels(a) > pixels(b); });
  return order;
}

void fit_rings(const BoardPlan& plan, const FrameView& frame, const Backend& backend, PlaneFit* fits) {
  check(plan, frame);
  const std::vector<std::uint32_t> order = largest_first(plan);
  std::vector<Worker> workers = workers_of(backend);
  parallel_for(backend.threads, order.size(), [&](std::size_t k, unsigned slot) {
    const SitePlan& site = plan.sites[order[k]];
    Worker& w = workers[slot];
    fits[order[k]] = fit_of(plan, site, take_ring(plan, site, frame, backend.isa, &w.pixels), w.fitter);
  });
}

void measure_board(const BoardPlan& plan, const FrameView& frame, const Backend& backend, SiteRecord* records,
                   const SiteWork& work) {
  check(plan, frame);
  const std::vector<std::uint32_t> order = largest_first(plan);
  std::vector<Worker> workers = workers_of(backend);
  // a site from its pixels to its record and the host's work, so that its pixels stay in the cache of one core
  parallel_for(backend.threads, order.size(), [&](std::size_t k, unsigned slot) {
    const std::uint32_t i = order[k];
    const SitePlan& site = plan.sites[i];
    Worker& w = workers[slot];
    SiteRecord& record = records[i];
    record = SiteRecord{};
    const RingPoints ring = take_ring(plan, site, frame, backend.isa, &w.pixels);
    record.fit = fit_of(plan, site, ring, w.fitter);
    SiteHeights heights;
    if (record.fit.status == FitStatus::ok) {
      record.ring = ring_record(plan, site, ring, record.fit, backend.isa, &w.ring);
      const float* body = take_body(plan, site, frame, backend.isa, &w.pixels);
      record.body =
          measure_body(body_pixels(plan, site, body, record.fit), demand_of(site), backend.isa, &w.body);
      heights = {ring.z, body, w.body.nm.get()};
    }
    if (work) work(i, heights);
  });
}

CpuBoardMeasurer::CpuBoardMeasurer(Backend backend) : backend_(std::move(backend)) {}

void CpuBoardMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) {
  measure_board(plan, frame, backend_, records);
}

void CpuBoardMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                               unsigned /*threads*/, const SiteWork& work) {
  measure_board(plan, frame, backend_, records, work);
}

std::string CpuBoardMeasurer::describe() const { return datum::describe(backend_); }

}  // namespace datum
