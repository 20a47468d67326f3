// Samples the state of the controller beside the inspections. They read the newest sample and never wait.
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

/// Adds the driver's sample and the causes of GPU throttling.
void add_gpu(ControllerState& state, const GpuSample& sample);

class ControllerWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Log = std::function<void(bool warning, const std::string& text)>;

  /// Calls `sample` in a thread of its own, now and after each `period`; calls `log` in that thread too.
  ControllerWatch(std::function<ControllerState()> sample, Log log,
                  std::chrono::milliseconds period = std::chrono::seconds(1));
  /// Waits until a running sample ends.
  ~ControllerWatch();
  ControllerWatch(const ControllerWatch&) = delete;
  ControllerWatch& operator=(const ControllerWatch&) = delete;

  /// The newest sample with its age; none before the first. Any thread may call it.
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

/// The sampler of a daemon: the kernel's files, and the NVIDIA driver where `gpu` is set and the files list no GPU.
std::function<ControllerState()> controller_sampler(bool gpu);

}  // namespace datum
