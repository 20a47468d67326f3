#include "daemon/gpu_worker/failover_measurer.h"

#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum {

FailoverMeasurer::FailoverMeasurer(std::unique_ptr<GpuClient> link, std::unique_ptr<BoardMeasurer> cpu,
                                   GpuHealth::Now now, GpuHealth::Report report, FailoverSettings settings)
    : link_(std::move(link)),
      cpu_(std::move(cpu)),
      plan_timeout_(settings.plan_timeout),
      health_("boards are measured", std::move(now), std::move(report), settings.pauses) {
  health_.set_last("cuda " + link_->device());
  if (link_->started()) health_.started();
}

template <class OnCpu>
bool FailoverMeasurer::measured_by_gpu_or(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                                          const OnCpu& on_cpu) {
  const std::lock_guard one_at_a_time(measuring_);
  if (measured_by_gpu(plan, frame, records)) {
    health_.set_last("cuda " + link_->device());
    return true;
  }
  on_cpu();
  health_.set_last(cpu_->describe());
  return false;
}

void FailoverMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) {
  measured_by_gpu_or(plan, frame, records, [&] { cpu_->measure(plan, frame, records); });
}

void FailoverMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records,
                               unsigned threads, const SiteWork& work) {
  if (measured_by_gpu_or(plan, frame, records, [&] { cpu_->measure(plan, frame, records, threads, work); }))
    work_on_sites(plan, frame, records, threads, work);
}

void FailoverMeasurer::expect(const BoardPlan& plan, const std::shared_ptr<const void>& of,
                              const EarlyWorkMaker& make) {
  const std::lock_guard one_at_a_time(measuring_);
  link_->expect(plan, of, make);
}

bool FailoverMeasurer::measured_by_gpu(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) {
  const auto passed_over = [this](const char* why) {
    health_.passed_over(why);
    return false;
  };
  try {
    if (!link_->started()) {
      if (!health_.may_start()) return false;
      link_->start();
      health_.started();
    }
    const auto asked = GpuClient::Clock::now();
    const Greeting* greeting = link_->greeting(asked);  // a board does not wait for a start
    if (!greeting) return passed_over("the GPU's worker is still starting");
    if (!greeting->usable) throw GpuError(get_text(greeting->why), true);
    if (!link_->prepare(plan, frame, asked + plan_timeout_))
      return passed_over("the GPU is not ready for this recipe and placement yet");
    if (!link_->measure(frame, records))
      return passed_over("a pixel holds the count that marks a missing height on the GPU");
    health_.did_well(link_->device());
    return true;
  } catch (const GpuError& error) {
    link_->stop();
    health_.failed(error.what());
    return false;
  }
}

}  // namespace datum
