// A daemon that is not there: what may be wrong, and what to do next.
#pragma once

#include <string>

#include "daemon/ctl/link_options.h"

namespace datum {

/// Lines for an operator, each with its end: what systemd says of datumd, which addresses a configuration names, the
/// command to run next.
std::string advice(const LinkOptions& link, const std::string& config = "/etc/datumd/datumd.toml");

}  // namespace datum
