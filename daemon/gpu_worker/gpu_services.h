// The GPU worker for services: started by the first service, bypassed during a fault, so that no part waits for a
// recovery.
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
  /// `start_timeout`: how long a service waits for the worker's start.
  GpuServices(std::unique_ptr<ServiceClient> link, std::chrono::milliseconds start_timeout,
              GpuHealth::Now now, GpuHealth::Report report, RestartPauses pauses = {});

  /// Calls `work` with the worker's client. Returns the executor, "cuda NVIDIA H200 sm_90"; "": the CPU must do the work.
  /// Concurrent calls wait for each other.
  std::string run(const std::function<void(ServiceClient&)>& work);
  /// "" while the GPU works, else its last fault.
  std::string fault() const { return health_.fault(); }
  /// Number of restarts of the worker.
  std::uint64_t restarts() const { return health_.restarts(); }

 private:
  const std::unique_ptr<ServiceClient> link_;
  const std::chrono::milliseconds start_timeout_;
  std::mutex running_;
  GpuHealth health_;
};

}  // namespace datum
