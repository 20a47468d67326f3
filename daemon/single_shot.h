// datumd --once: measures one frame, or the snapshots of one part, and prints the verdict. It needs no cell.
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
      frames;  // every file that read_frame accepts; one, or the snapshots of a surface recipe
  /// Stage positions in mm, one per frame. Empty: the stage stands where the calibration was made.
  std::vector<std::array<double, 3>> positions_mm;
  std::optional<std::array<double, 3>> head_deg;  // A, B, C of the head at all of them
  std::filesystem::path recipe;
  std::filesystem::path sensor;                      // profile
  std::optional<double> temperature_degc;            // a calibration may demand it
  std::optional<std::filesystem::path> calibration;  // needed by a recipe in machine coordinates
  std::optional<std::filesystem::path> picture;
  std::string unit;
  bool json = false;
  BackendSettings backend{BackendSettings::Kind::cpu, 0};
};

/// Returns the exit status: 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 INVALID. Throws the errors of the file readers. Throws
/// RefusedError where the requested backend is missing, or the numbers of frames and positions differ.
int measure_single_shot(const SingleShotOptions& options, std::int64_t utc_ns);

}  // namespace datum
