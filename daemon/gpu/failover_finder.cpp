#include "daemon/gpu/failover_finder.h"

#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum {

FailoverFinder::FailoverFinder(std::unique_ptr<SurfaceLink> link, Backend cpu,
                               std::chrono::milliseconds start_patience, GpuHealth::Now now,
                               GpuHealth::Report report, RestartPauses pauses)
    : link_(std::move(link)),
      cpu_(std::move(cpu)),
      start_patience_(start_patience),
      health_("surfaces are compared", std::move(now), std::move(report), pauses) {
  health_.set_last(cpu_.describe());
}

void FailoverFinder::find(const SearchedModel& model, const ModelPoint* points, std::size_t count,
                          const DistanceSettings& settings, ModelDistance* out) {
  const std::lock_guard one_at_a_time(finding_);
  if (found_by_gpu(model, points, count, settings, out)) return;
  cpu_.find(model, points, count, settings, out);
  health_.set_last(cpu_.describe());
}

bool FailoverFinder::found_by_gpu(const SearchedModel& model, const ModelPoint* points, std::size_t count,
                                  const DistanceSettings& settings, ModelDistance* out) {
  try {
    if (!link_->started()) {
      if (!health_.may_start()) return false;
      link_->start();
    }
    const Greeting* greeting = link_->greeting(SurfaceLink::Clock::now() + start_patience_);
    if (!greeting) {
      health_.passed_over("the GPU's worker is still starting");
      return false;
    }
    if (!greeting->usable) throw GpuError(get_text(greeting->why), true);
    link_->find(model.triangles, points, count, settings, out);
    const std::string device = get_text(greeting->device);
    health_.did_well(device);
    health_.set_last("cuda " + device);
    return true;
  } catch (const GpuError& error) {
    link_->stop();
    health_.failed(error.what());
    return false;
  }
}

}  // namespace datum
