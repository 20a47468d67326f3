// One board by a trigger.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/ctl/link_options.h"

namespace datum {

/// Triggers the armed cell for a unit, waits, and returns the sequence number of its stored result. Throws RefusedCommand, also where no
/// result was stored.
std::uint64_t triggered_result(const LinkOptions& link, const std::string& unit);

}  // namespace datum
