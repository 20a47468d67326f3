// The loop of datumd-parse: an order, its parser, an answer; one thread, until datumd is gone.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "daemon/parse/confinement.h"
#include "daemon/parse/parse_output.h"

namespace datum {

using ParseParts = std::array<std::span<const std::uint8_t>, most_parse_parts>;

/// Makes of an order what `answer` is called with. Throws what its reader throws.
using ParseHandler = std::function<void(const ParseOrder& order, const ParseParts& parts,
                                        const std::function<void(const ParseOutput&)>& answer)>;
using ParseHandlers = std::map<ParseKind, ParseHandler>;

/// The readers of the product.
ParseHandlers product_parsers();

/// Confines itself, greets, serves. Returns the exit status, exit_unconfined. Throws std::exception where it can't.
int run_parse_server(int socket, const ConfinementLimits& limits, const ParseHandlers& handlers);

}  // namespace datum
