// `datumctl hole`: a hole scanned, then touched, as PROBe:HOLE commands.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "daemon/ctl/scpi_client.h"

namespace datum {

struct HoleOptions {
  std::string step;  // name of the subcommand that was given
  std::string file;
  double x_mm = 0, y_mm = 0, z_mm = 0, radius_mm = 0, search_mm = 0, tolerance_mm = 0;
};

/// Adds `hole` with its steps; `link` adds the options of the connection to a step.
CLI::App* add_hole(CLI::App& app, HoleOptions& options, const std::function<void(CLI::App&)>& link);

/// The command of a step, without its parameters' checks: those are the daemon's. Empty for status.
std::string command_of(const HoleOptions& options);

/// Whether the daemon waits for a frame or the probe in this step.
bool waits(const HoleOptions& options);

/// Goes through a step and prints where the hole stands; errors on stderr. True: nothing was refused.
bool hole(const HoleOptions& options, ScpiClient& host);

/// `hole replay LOG`: true where the log's inputs give the log again, byte for byte. Prints its last line. Needs no
/// daemon. Throws HybridLogError.
bool replay(const HoleOptions& options);

}  // namespace datum
