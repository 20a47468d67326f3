// Measures units of a manifest by worker processes, on one machine; any number of runs on any machines may share a batch.
//
// A unit that fails is measured again alone, so that a worker that ends accuses one unit. After `attempts` failures alone a unit
// whose own data are the cause, or over which its worker ended, is named in poison/, and the others go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "daemon/batch/manifest.h"

namespace datum {

struct BatchRunOptions {
  std::filesystem::path batch, frames;  // frames: empty: the manifest's folder
  std::string backend;                  // of the workers; a run that is no audit uses the manifest's
  std::vector<std::string> gpus;        // CUDA's names; a worker for each
  unsigned workers = 1;                 // where there is no GPU
  unsigned lanes = 1;                   // boards in flight of a worker
  unsigned threads = 1;                 // of a worker's copies to its GPU
  unsigned attempts = 3;
  bool audit = false;
  std::filesystem::path program;  // of the workers
};

struct FailedUnit {
  std::size_t unit = 0;  // in the manifest
  std::string why;
};

struct BatchRunReport {
  std::uint64_t done = 0;
  double seconds = 0;  // from the first order to the last report: without the start of workers
  std::vector<FailedUnit> poison, later, differs;  // later: they may be measured by another run
  std::string stopped;                             // why nothing more was measured; empty: all were tried
};

/// Measures these units, whatever output they have. `told`: a line for a person. Without a worker that can be started, nothing.
BatchRunReport run_batch(const BatchRunOptions& options, const Manifest& manifest,
                         const std::vector<std::size_t>& units,
                         const std::function<void(const std::string&)>& told);

/// GPUs for CUDA here: those of CUDA_VISIBLE_DEVICES, else "0" to the number of devices less one.
std::vector<std::string> visible_gpus();

}  // namespace datum
