// `datumctl hole`: a hole scanned, then touched, by the commands of PROBe:HOLE.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "daemon/ctl/scpi_client.h"

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

struct HoleOptions {
  std::string step;  // name of the chosen subcommand
  std::string file;
  double x_mm = 0, y_mm = 0, z_mm = 0, radius_mm = 0, search_mm = 0, tolerance_mm = 0;
};

/// Adds `hole` and its steps; `link` adds the connection options to a step.
CLI::App* add_hole(CLI::App& app, HoleOptions& options, const std::function<void(CLI::App&)>& link);

/// The command of a step; the daemon checks its parameters. Empty for status.
std::string command_of(const HoleOptions& options);

/// What the operator is to do while the daemon waits in this step; none: the daemon does not wait.
std::optional<std::string> prompt_of(const HoleOptions& options);

/// Executes a step and prints the state of the hole; errors on stderr. True: no command was refused.
bool hole(const HoleOptions& options, ScpiClient& host);

/// `hole replay LOG`: true where the log's inputs reproduce the log byte for byte. Prints its last line. Needs no daemon.
/// Throws HybridLogError.
bool replay(const HoleOptions& options);

}  // namespace datum
