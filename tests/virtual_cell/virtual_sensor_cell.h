// What the virtual sensor stands before: a cell put together from the files that the daemon itself is given
// (recipe, calibration) and one more that says what a daemon can't know: the true board and the sensor's true
// errors.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>

#include "tests/virtual_cell/twin_artefact.h"
#include "tests/virtual_cell/twin_produce.h"

namespace datum {

struct VirtualCell {
  TwinBoard nominal;
  TwinSpread spread;
  TwinView view;
  TwinSensor sensor;
  std::string recipe;                    // its name
  std::optional<TwinArtefact> artefact;  // what the word "artefact" shows in place of a board
  Htm<Sensor, Artefact> sensor_from_artefact;
};

/// Files of a cell. `calibration` is needed where the recipe is in machine coordinates; position_mm is the
/// stage's during the snapshot, the calibration's own q_cal_mm where it is not given.
struct VirtualCellFiles {
  std::filesystem::path recipe, twin;
  std::optional<std::filesystem::path> calibration;
  std::optional<Eigen::Vector3d> position_mm;
  std::filesystem::path artefact = {},
                        mount = {};  // its drawing, and where it truly stands; empty: there is none
};

/// Throws config::ConfigError or CalibrationError.
VirtualCell load_cell(const VirtualCellFiles& files);

}  // namespace datum
