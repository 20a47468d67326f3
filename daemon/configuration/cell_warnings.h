// What a cell's files may state and probably do not mean, and what will stop the cell: read by datumd --check-config, the journal
// at start, datumctl doctor, and datumctl status.
#pragma once

#include <string>
#include <vector>

#include "calib/calibration.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/inspection/recipe/sensor_fit.h"

namespace datum {

/// Warnings of configuration and sensor profile, and of certificates that expire. One line each, "FILE:LINE:COLUMN: KEY: doubt; remedy".
std::vector<std::string> cell_warnings(const DaemonConfig& config, std::int64_t now_utc_s);

/// Warnings of one recipe, by itself and for this cell's sensor, each with its file; none for a recipe of another sensor.
/// `calibration`: null where none is usable.
std::vector<std::string> recipe_warnings(const RecipeStore& recipes, const Recipe& recipe,
                                         const DaemonConfig& config, const SensorProfile& sensor,
                                         const Calibration* calibration);

/// What sensor_fit() needs beside recipe and sensor: a stage moves the sensor, so that its place is known with a frame only.
inline const Calibration* calibration_at_rest(const DaemonConfig& config, const Calibration* calibration) {
  return config.cmm ? nullptr : calibration;
}

/// Folders of the configuration that datumd writes and this account may not: "KEY: FOLDER cannot be written: why".
std::vector<std::string> folder_faults(const DaemonConfig& config);

}  // namespace datum
