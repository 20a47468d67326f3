// Advice on settings that are valid but risky.
#pragma once

#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"

namespace datum {

/// One line each, "KEY: risk; remedy". The daemon starts all the same.
std::vector<std::string> config_advice(const DaemonConfig& config);

}  // namespace datum
