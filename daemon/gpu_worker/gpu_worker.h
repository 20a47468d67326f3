// The other end of a GpuClient or a ServiceClient: measures boards, or runs the stages beside them, in a process of its own,
// which a device's fault may end.
#pragma once

#include <functional>
#include <memory>

#include "daemon/gpu_worker/service_worker.h"
#include "gpu/board/slot_measurer.h"
#include "gpu/core/cuda_device.h"

namespace datum {

/// What the worker measures with.
struct WorkerDevice {
  std::function<CudaDevice()> probe;
  std::function<std::unique_ptr<SlotMeasurer>(const SlotMemory&)> measurer;
  ServiceDevice stages;
};

/// Greets, then serves the orders that come over the socket until its other end is closed, whatever it is
/// doing then. Returns the exit status of the process: 0, or 1 where the daemon said what no daemon says (a
/// line on standard error).
int run_gpu_worker(int socket, const WorkerDevice& device);

}  // namespace datum
