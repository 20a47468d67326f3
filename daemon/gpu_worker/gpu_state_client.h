// The daemon's client of datumd-gpu --state, a separate process, so that a hanging driver blocks nothing else.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "daemon/gpu_worker/gpu_health.h"
#include "daemon/gpu_worker/gpu_state.h"
#include "daemon/system/child_process.h"

namespace datum {

/// One thread at a time may use it.
class GpuStateClient {
 public:
  using Clock = std::chrono::steady_clock;

  explicit GpuStateClient(std::filesystem::path program = program_beside_this("datumd-gpu"))
      : program_(std::move(program)) {}

  /// The newest sample; none where none came in the last five seconds. Starts the process where it is not running, with a
  /// pause after a failure; not again where it reported that there is no GPU. Never waits, never throws.
  std::optional<GpuSample> newest(Clock::time_point now);
  /// Why there is no sample.
  const std::string& why_not() const { return why_not_; }

 private:
  void start(Clock::time_point now);
  void receive(Clock::time_point now);
  void failed(const std::string& why, Clock::time_point now);

  const std::filesystem::path program_;
  const RestartPauses pauses_;
  ChildProcess process_;
  std::optional<GpuSample> sample_;
  Clock::time_point sampled_, retry_at_ = Clock::time_point::min();
  std::chrono::nanoseconds pause_{0};
  std::string why_not_ = "not asked yet";
};

}  // namespace datum
