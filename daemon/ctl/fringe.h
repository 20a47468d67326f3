// `datumctl fringe`: commissioning of a sensor with raw fringe images. Needs no daemon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/ctl/fringe_columns.h"

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

struct FringeOptions {
  std::string step;  // name of the chosen subcommand
  std::string sensor;
  std::vector<std::string> sets;  // SET.json@HEIGHT, in mm
  std::string id, operator_name, output;
  double u_step_um = 0, u_plate_um = 0, max_residual_um = 0;
  int degree = 1, cell_px = 16, valid_days = 0;
  bool no_bend = false;
  std::optional<double> temperature_degc;
  double temperature_window_k = 2;
  std::int64_t now_utc_s = 0;
  FringeColumnsOptions columns;
};

CLI::App* add_fringe(CLI::App& app, FringeOptions& options);

/// Executes the chosen step, prints its result, and on stderr the reason of a refusal. Exit status: 0 done, 3 no
/// calibration possible, 4 invalid input.
int fringe(const FringeOptions& options);

/// Demodulates the sets of the stepped flat, fits the phase-to-height model and writes it. Returns the text to print.
/// Throws CalibrationError, FrameError, config::ConfigError, and std::invalid_argument for arguments.
std::string calibrate_fringe(const FringeOptions& options);

}  // namespace datum
