#include "daemon/gpu_worker/gpu_health.h"

#include <algorithm>
#include <utility>

namespace datum {

GpuHealth::GpuHealth(std::string work, Now now, Report report, RestartPauses pauses)
    : work_(std::move(work)),
      now_(std::move(now)),
      report_(std::move(report)),
      pauses_(pauses),
      well_since_(now_()) {}

void GpuHealth::started() {
  const std::lock_guard lock(texts_);
  ++starts_;
}

std::uint64_t GpuHealth::restarts() const {
  const std::lock_guard lock(texts_);
  return starts_ == 0 ? 0 : starts_ - 1;
}

void GpuHealth::passed_over(const std::string& why) {
  if (fault().empty() && why != passed_over_) report_(false, work_ + " on the CPU: " + why);
  passed_over_ = why;
}

void GpuHealth::failed(const std::string& what) {
  const auto now = now_();
  const bool was_well = fault().empty();
  const bool begins_anew = was_well && now - well_since_ >= pauses_.longest;
  pause_ = pause_.count() == 0 || begins_anew ? pauses_.first : std::min(pause_ * 2, pauses_.longest);
  retry_at_ = now + pause_;
  {
    const std::lock_guard lock(texts_);
    fault_ = what;
  }
  if (was_well) report_(true, "the GPU failed, " + work_ + " on the CPU until it is back: " + what);
}

void GpuHealth::did_well(const std::string& device) {
  passed_over_.clear();
  if (fault().empty()) return;
  {
    const std::lock_guard lock(texts_);
    fault_.clear();
  }
  well_since_ = now_();
  report_(false, "the GPU measures again: " + device);
}

void GpuHealth::set_last(const std::string& who) {
  const std::lock_guard lock(texts_);
  last_ = who;
}

std::string GpuHealth::last() const {
  const std::lock_guard lock(texts_);
  return last_;
}

std::string GpuHealth::fault() const {
  const std::lock_guard lock(texts_);
  return fault_;
}

}  // namespace datum
