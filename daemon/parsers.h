// Where this daemon's frames, models, recipes and calibrations are parsed: in datumd-parse, beside it.
#pragma once

#include <memory>

#include "daemon/configuration/daemon_config.h"
#include "daemon/hosts/command_link.h"
#include "daemon/parse/isolated_parsers.h"

namespace datum {

/// Started. An input over which it ends is logged and counted (parser_ended); a model or a text is kept in failed/ beside the
/// deliveries, or beside the store, while a delivery goes there by itself. Throws ParserEnded.
std::unique_ptr<IsolatedParsers> start_parsers(const DaemonConfig& config, std::uint64_t most_pixels,
                                               const LogSink& log);

}  // namespace datum
