#include "daemon/gpu/failover_measurer.h"

#include <algorithm>
#include <utility>

#include "gpu/core/gpu_error.h"

namespace datum {

FailoverMeasurer::FailoverMeasurer(std::unique_ptr<GpuLink> link, std::unique_ptr<BoardMeasurer> cpu, Now now,
                                   Report report, FailoverSettings settings)
    : link_(std::move(link)),
      cpu_(std::move(cpu)),
      now_(std::move(now)),
      report_(std::move(report)),
      settings_(settings),
      well_since_(now_()),
      last_("cuda " + link_->device()) {}

void FailoverMeasurer::measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) {
  const std::lock_guard one_at_a_time(measuring_);
  if (measured_by_gpu(plan, frame, records)) {
    note_measurer("cuda " + link_->device());
    return;
  }
  cpu_->measure(plan, frame, records);
  note_measurer(cpu_->describe());
}

bool FailoverMeasurer::measured_by_gpu(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) {
  try {
    if (!link_->started()) {
      if (now_() < retry_at_) return false;
      link_->start();
    }
    const auto asked = GpuLink::Clock::now();
    const Greeting* greeting = link_->greeting(asked);  // a board does not wait for a start
    if (!greeting) return passed_over("the GPU's worker is still starting");
    if (!greeting->usable) throw GpuError(get_text(greeting->why), true);
    if (!link_->prepare(plan, frame, asked + settings_.plan_patience))
      return passed_over("the GPU is not ready for this recipe and placement yet");
    if (!link_->measure(frame, records))
      return passed_over("a pixel holds the count that marks a missing height on the GPU");
    note_return();
    passed_over_.clear();
    return true;
  } catch (const GpuError& error) {
    link_->stop();
    note_fault(error.what());
    return false;
  }
}

/// No fault, and no silence either: said once for as long as it lasts.
bool FailoverMeasurer::passed_over(const std::string& why) {
  if (fault().empty() && why != passed_over_) report_(false, "measured on the CPU: " + why);
  passed_over_ = why;
  return false;
}

void FailoverMeasurer::note_fault(const std::string& what) {
  const auto now = now_();
  const bool was_well = fault().empty();
  const bool begins_anew = was_well && now - well_since_ >= settings_.longest_pause;
  pause_ = pause_.count() == 0 || begins_anew ? settings_.first_pause
                                              : std::min(pause_ * 2, settings_.longest_pause);
  retry_at_ = now + pause_;
  {
    const std::lock_guard lock(texts_);
    fault_ = what;
  }
  if (was_well) report_(true, "the GPU failed, boards are measured on the CPU until it is back: " + what);
}

void FailoverMeasurer::note_return() {
  if (fault().empty()) return;
  {
    const std::lock_guard lock(texts_);
    fault_.clear();
  }
  well_since_ = now_();
  report_(false, "the GPU measures again: " + link_->device());
}

void FailoverMeasurer::note_measurer(const std::string& who) {
  const std::lock_guard lock(texts_);
  last_ = who;
}

std::string FailoverMeasurer::describe() const {
  const std::lock_guard lock(texts_);
  return last_;
}

std::string FailoverMeasurer::fault() const {
  const std::lock_guard lock(texts_);
  return fault_;
}

}  // namespace datum
