// `datumctl verify results`: is every stored result as it was written, and is its frame still measured the same. Reads
// beside a running daemon, or without one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "daemon/ctl/verify.h"

namespace datum {

/// Adds the subcommand `results` below `verify`; `chosen` is called where it is given.
void add_verify_results(CLI::App& verify, ResultsCheck& options, const std::function<void()>& chosen);

/// good: all as written, and measured the same; not_good: something is not; not_enough: nothing says whether the newest results
/// are there, or frames were asked for and none could be measured again. Throws StoreError, config::ConfigError, std::invalid_argument for arguments.
Verified verify_results(const ResultsCheck& options);

}  // namespace datum
