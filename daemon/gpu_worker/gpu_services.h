// The GPU's worker of the stages beside a board's measurement: started by the first of them, passed over while it is not
// well, so that no part waits for a repair.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/gpu_worker/gpu_health.h"
#include "daemon/gpu_worker/service_client.h"

namespace datum {

class GpuServices {
 public:
  /// `start_timeout`: how long a stage waits for the worker's start.
  GpuServices(std::unique_ptr<ServiceClient> link, std::chrono::milliseconds start_timeout,
              GpuHealth::Now now, GpuHealth::Report report, RestartPauses pauses = {});

  /// Lets the worker do it; "" where the CPU is to, else who did: "cuda NVIDIA H200 sm_90". Of several threads one waits
  /// for the other.
  std::string run(const std::function<void(ServiceClient&)>& work);
  /// "" while the GPU is well, else what its last fault was.
  std::string fault() const { return health_.fault(); }
  /// How often the worker had to be started anew.
  std::uint64_t restarts() const { return health_.restarts(); }

 private:
  const std::unique_ptr<ServiceClient> link_;
  const std::chrono::milliseconds start_timeout_;
  std::mutex running_;
  GpuHealth health_;
};

}  // namespace datum
