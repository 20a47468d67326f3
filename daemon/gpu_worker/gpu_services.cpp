#include "daemon/gpu_worker/gpu_services.h"

#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum {

GpuServices::GpuServices(std::unique_ptr<ServiceClient> link, std::chrono::milliseconds start_timeout,
                         GpuHealth::Now now, GpuHealth::Report report, RestartPauses pauses)
    : link_(std::move(link)),
      start_timeout_(start_timeout),
      health_("frames are prepared and surfaces compared", std::move(now), std::move(report), pauses) {}

std::string GpuServices::run(const std::function<void(ServiceClient&)>& work) {
  const std::lock_guard one_at_a_time(running_);
  try {
    if (!link_->started()) {
      if (!health_.may_start()) return "";
      link_->start();
      health_.started();
    }
    const Greeting* greeting = link_->greeting(ServiceClient::Clock::now() + start_timeout_);
    if (!greeting) {
      health_.passed_over("the GPU's worker is still starting");
      return "";
    }
    if (!greeting->usable) throw GpuError(get_text(greeting->why), true);
    work(*link_);
    const std::string device = get_text(greeting->device);
    health_.did_well(device);
    return "cuda " + device;
  } catch (const GpuError& error) {
    link_->stop();
    health_.failed(error.what());
    return "";
  }
}

}  // namespace datum
