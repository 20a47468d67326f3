// Advice for a daemon that cannot be reached.
#pragma once

#include <string>

#include "daemon/ctl/link_options.h"

namespace datum {

/// Lines for an operator, each with its end: state of the systemd unit, addresses in the configuration, next command.
std::string advice(const LinkOptions& link, const std::string& config = "/etc/datumd/datumd.toml");

}  // namespace datum
