// `datumctl calibrate`: the steps of a calibration, by the commands of CALibration.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "daemon/ctl/calibrate_files.h"
#include "daemon/ctl/scpi_client.h"

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

struct CalibrateOptions {
  std::string step;  // name of the chosen subcommand
  std::string artefact, face, id, operator_name, why, file;
  std::string config = "/etc/datumd/datumd.toml";
  double degc = 0;
  int count = 1;
  FileSteps files;  // of the steps that need no daemon
};

/// Adds `calibrate` and its steps; `link` adds the connection options to a step.
CLI::App* add_calibrate(CLI::App& app, CalibrateOptions& options, const std::function<void(CLI::App&)>& link);

/// The command of a step; the daemon checks its parameters.
std::string command_of(const CalibrateOptions& options);

/// What the operator is to do while the daemon waits in this step, in the touch of this number; none: the daemon does not wait.
std::optional<std::string> prompt_of(const CalibrateOptions& options, int touch = 1);

/// Goes through a step and prints where the calibration stands; errors on stderr. True: nothing was refused.
bool calibrate(const CalibrateOptions& options, ScpiClient& host);

/// `calibrate align`, `squareness` and `spheres`: prints the result, and on stderr the reason of a refusal. Returns the exit
/// status, as of `verify`. Needs no daemon.
int calibrate_from_files(const CalibrateOptions& options);
bool is_of_files(const CalibrateOptions& options);

/// `calibrate seal FILE`: rewrites the file with its checksum, in the name of `operator_name`. Needs no daemon. Throws
/// config::ConfigError.
void seal(const CalibrateOptions& options);

/// `calibrate replay LOG`: solves again from the log and prints the result. True: equal to the logged one. Needs no
/// daemon. Throws CalibrationError, config::ConfigError.
bool replay(const CalibrateOptions& options);

}  // namespace datum
