// `datumctl calibrate`: a calibration step by step, as CALibration commands.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "daemon/ctl/scpi_client.h"

namespace datum {

struct CalibrateOptions {
  std::string step;  // name of the subcommand that was given
  std::string artefact, face, id, operator_name, why, file;
  std::string config = "/etc/datumd/datumd.toml";
  double degc = 0;
  int count = 1;
};

/// Adds `calibrate` with its steps; `link` adds the options of the connection to a step.
CLI::App* add_calibrate(CLI::App& app, CalibrateOptions& options, const std::function<void(CLI::App&)>& link);

/// The command of a step, without its parameters' checks: those are the daemon's.
std::string command_of(const CalibrateOptions& options);

/// Goes through a step and prints where the calibration stands; errors on stderr. True: nothing was refused.
bool calibrate(const CalibrateOptions& options, ScpiClient& host);

/// `calibrate seal FILE`: writes the file anew with its checksum, as one that `operator` answers for. Needs no
/// daemon. Throws config::ConfigError.
void seal(const CalibrateOptions& options);

/// `calibrate replay LOG`: prints what solving says now. True: the same as then. Needs no daemon. Throws
/// CalibrationError, config::ConfigError.
bool replay(const CalibrateOptions& options);

}  // namespace datum
