// The controller's state, sampled beside the inspections: they take the newest sample and wait for nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "daemon/controller/controller_state.h"
#include "daemon/gpu_worker/gpu_state.h"

namespace datum {

/// The driver's sample as it stands in a verdict, with what slowed the GPU down.
void add_gpu(ControllerState& state, const GpuSample& sample);

class ControllerWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Log = std::function<void(bool warning, const std::string& text)>;

  /// Calls `sample` on a thread of its own, now and after each `period`; `log` is called there too.
  ControllerWatch(std::function<ControllerState()> sample, Log log,
                  std::chrono::milliseconds period = std::chrono::seconds(1));
  /// Waits for a sample that is being taken.
  ~ControllerWatch();
  ControllerWatch(const ControllerWatch&) = delete;
  ControllerWatch& operator=(const ControllerWatch&) = delete;

  /// The newest sample with its age; none before the first. From any thread.
  std::optional<ControllerState> newest() const;

 private:
  void work();

  const std::function<ControllerState()> sample_;
  const Log log_;
  const std::chrono::milliseconds period_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::optional<ControllerState> newest_;
  Clock::time_point sampled_;
  std::thread thread_;
};

/// What a daemon samples: the kernel's files, and the driver where `gpu` and they name no GPU.
std::function<ControllerState()> controller_sampler(bool gpu);

}  // namespace datum
