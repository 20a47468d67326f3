// A worker process of 'datumd-batch run': reads the next frames while it measures, one lane for each board in flight.
#pragma once

#include <filesystem>
#include <string>

#include "daemon/gpu_worker/backend_settings.h"

namespace datum {

struct WorkerOptions {
  std::filesystem::path batch, frames;  // frames: empty: the manifest's folder
  BackendSettings backend{BackendSettings::Kind::cpu, 1};
  unsigned lanes = 1;
  bool audit = false;  // compares with the outputs instead of writing them
};

/// Serves orders on `socket` until the other side closes it. Returns the exit status.
int run_batch_worker(const WorkerOptions& options, int socket);

}  // namespace datum
