// `datumctl verify results`: checks that every stored result is unaltered, and that its frame gives the same result
// again. Works with or without a running daemon.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/ctl/verify.h"

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

/// Adds the subcommand `results` of `verify`; `chosen` is called where it is given.
void add_verify_results(CLI::App& verify, ResultsCheck& options, const std::function<void()>& chosen);

/// good: unaltered and equal; not_good: a deviation; not_enough: no evidence for the newest results, or none of the
/// requested frames could be measured again; untold: some of them could not. Throws StoreError, config::ConfigError,
/// std::invalid_argument for arguments.
Verified verify_results(const ResultsCheck& options);

}  // namespace datum
