// What a batch measures by: the copies of recipes, calibrations and the sensor's profile that its manifest names.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "daemon/batch/manifest.h"
#include "daemon/cell/replay.h"

namespace datum {

class BatchInputs {
 public:
  /// Reads all of them. `frames`: folder of the frames here; empty: the manifest's. `boards`: in work at one time. Throws std::runtime_error,
  /// config::ConfigError; also where the sensor's profile is another file than the manifest's.
  BatchInputs(const std::filesystem::path& batch, const ManifestHead& head,
              const std::filesystem::path& frames, std::size_t boards);

  /// A unit ready to be measured by `measurer`, on one thread. Thread-safe. Throws std::runtime_error where its recipe, calibration or
  /// sensor's profile is not here as the unit names it.
  std::shared_ptr<Replay> prepare(const BatchUnit& unit, BoardMeasurer& measurer) const;

  /// Takes the memory of a measured unit's frames for those to come.
  void release(Replay& replay) const;

  const std::filesystem::path& frames() const { return frames_; }

 private:
  const std::filesystem::path frames_;
  const bool calibration_replaced_;
  SensorProfile sensor_;
  std::map<std::string, Recipe> recipes_;            // by SHA-256
  std::map<std::string, Calibration> calibrations_;  // by id
};

}  // namespace datum
