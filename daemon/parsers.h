// Parsers of frames, models, recipes and calibrations: they run isolated in the process datumd-parse.
#pragma once

#include <memory>

#include "daemon/configuration/daemon_config.h"
#include "daemon/hosts/command_link.h"
#include "daemon/parse/isolated_parsers.h"

namespace datum {

/// Starts datumd-parse. An input that ends it is logged and counted (parser_ended). A model or a text is kept in failed/
/// beside the deliveries, or beside the store; a delivery moves there by itself. Throws ParserEnded.
std::unique_ptr<IsolatedParsers> start_parsers(const DaemonConfig& config, std::uint64_t most_pixels,
                                               const LogSink& log);

}  // namespace datum
