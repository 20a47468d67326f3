// Scene of the virtual sensor: a cell from the daemon's own files (recipe, calibration) and one more with the
// values unknown to a daemon: the true board and the sensor's true errors.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>

#include "daemon/design/board_side.h"
#include "tests/virtual_cell/twin_artefact.h"
#include "tests/virtual_cell/twin_grey.h"
#include "tests/virtual_cell/twin_produce.h"

namespace datum {

struct VirtualCell {
  TwinBoard nominal;
  TwinSpread spread;
  TwinView view;
  TwinSensor sensor;
  std::string recipe;                    // its name
  std::optional<TwinGrey> grey;          // the recipe's fiducials and pads; none: it lists none, no intensity
  std::optional<TwinArtefact> artefact;  // shown instead of a board for "artefact"
  Htm<Sensor, Artefact> sensor_from_artefact;
};

/// Files of a cell. `calibration` is needed for a recipe in machine coordinates; position_mm is the stage's
/// during the snapshot, by default the calibration's q_cal_mm.
struct VirtualCellFiles {
  std::filesystem::path recipe, twin;
  std::optional<std::filesystem::path> calibration;
  std::optional<Eigen::Vector3d> position_mm;
  std::filesystem::path artefact = {}, mount = {};  // its drawing, and its true pose; empty: none
  /// Design whose copper, mask, legend and holes lie under the recipe's bodies; empty: a bare board with two pads a body.
  std::filesystem::path design = {};
  design::Side side = design::Side::top;
  design::Turn turn = design::Turn::vertical;
};

/// Throws config::ConfigError, CalibrationError or design::DesignError.
VirtualCell load_cell(const VirtualCellFiles& files);

}  // namespace datum
