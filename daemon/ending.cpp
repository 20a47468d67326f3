#include "daemon/ending.h"

#include "drivers/ipp/ipp_stop.h"

namespace datum {

namespace {

constexpr int first_stop_ms = 2000;  // ms, for the connection at start where the controller does not answer

}  // namespace

void Ending::begin(MonotonicNs now) {
  if (due_ || !cmm_) return loop_.stop();
  due_ = now + longest_ns;
  cmm_->close(now);
}

void Ending::after_round(MonotonicNs now) {
  if (!due_) return;
  const bool late = now >= *due_;
  if (late) log_(3, "the machine did not say within 5 s that it stands", {});
  if (late || cmm_->closed()) loop_.stop();
}

void stop_machine_first(const DaemonConfig& config, const LogSink& log) {
  if (!config.cmm || config.cmm->layout != Layout::ipp_dme || !config.cmm->ipp.motion) return;
  const std::string why = ipp_stop_first(*config.cmm, first_stop_ms);
  if (why.empty())
    log(6, "the machine stands: AbortE before anything else", {});
  else
    log(4, "whether the machine stands is not known: " + why, {});
}

}  // namespace datum
