// The worker's side of GpuClient and ServiceClient: measures boards or runs services in a separate process, which a
// device fault may end.
#pragma once

#include <functional>
#include <memory>

#include "daemon/gpu_worker/service_worker.h"
#include "gpu/board/slot_measurer.h"
#include "gpu/core/cuda_device.h"

namespace datum {

/// Device functions of the worker.
struct WorkerDevice {
  std::function<CudaDevice()> probe;
  std::function<std::unique_ptr<SlotMeasurer>(const SlotMemory&)> measurer;
  ServiceDevice stages;
};

/// Sends the greeting, then serves orders until the other end of the socket closes. Returns the exit status: 0, or 1 for
/// a protocol violation of the daemon (with a line on standard error).
int run_gpu_worker(int socket, const WorkerDevice& device);

}  // namespace datum
