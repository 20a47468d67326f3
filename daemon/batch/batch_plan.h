// Makes a manifest: from the results of a production store whose frames are kept, or from a folder of frames. Reads both alone.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "daemon/batch/manifest.h"
#include "daemon/store/result_store.h"

namespace datum {

struct BatchPlanOptions {
  std::filesystem::path batch;                       // folder to be made
  std::filesystem::path frames;                      // of an archive, or the done/ of a store's deliveries
  std::filesystem::path sensor;                      // profile
  std::filesystem::path store;                       // empty: an archive
  std::filesystem::path calibrations;                // folder of then, for results of a store
  std::optional<std::filesystem::path> recipe;       // none: each result's own, as the store keeps it
  std::optional<std::filesystem::path> calibration;  // none: each result's own
  std::optional<std::filesystem::path>
      positions;                        // of an archive: CSV, FRAME,X_MM,Y_MM,Z_MM[,A_DEG,B_DEG,C_DEG]
  ResultFilter results;                 // which of the store's
  std::optional<std::uint64_t> newest;  // so many of them
  std::string backend = cpu_backend_name;
  unsigned threads = 1;  // that read an archive
};

struct BatchPlanReport {
  std::size_t units = 0;
  std::vector<Unmeasurable> unmeasurable;
};

/// Writes the batch's folder, its manifest last. Throws std::invalid_argument for options that do not fit together, and the errors
/// of the readers; a folder that has a manifest is refused.
BatchPlanReport plan_batch(const BatchPlanOptions& options);

/// Positions of frames by their path in the archive. Throws std::runtime_error with the line.
struct StagePosition {
  std::array<double, 3> mm{};
  std::optional<std::array<double, 3>> head_deg;
};
std::map<std::string, StagePosition> positions_from_text(const std::string& text, const std::string& name);

}  // namespace datum
