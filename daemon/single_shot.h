// datumd --once: measures one frame, or a part's snapshots, and prints the verdict; needs no cell.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"

namespace datum {

struct SingleShotOptions {
  std::vector<std::filesystem::path>
      frames;  // whatever read_frame takes; one, or a surface recipe's snapshots
  /// Of the stage in mm, one for each frame, or none: it stands where the calibration was made.
  std::vector<std::array<double, 3>> positions_mm;
  std::filesystem::path recipe;
  std::filesystem::path sensor;                      // profile
  std::optional<double> temperature_degc;            // a calibration may demand it
  std::optional<std::filesystem::path> calibration;  // needed by a recipe in machine coordinates
  std::optional<std::filesystem::path> picture;
  std::string unit;
  bool json = false;
  BackendSettings backend{BackendSettings::Kind::cpu, 0};
};

/// Returns the exit status: 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 INVALID. Throws what reading the files throws,
/// and RefusedError where the backend that is asked for is not there, or frames and positions differ in number.
int measure_single_shot(const SingleShotOptions& options, std::int64_t utc_ns);

}  // namespace datum
