// What a configuration may say but should not.
#pragma once

#include <string>
#include <vector>

#include "daemon/configuration/daemon_config.h"

namespace datum {

/// One line each, "KEY: what may go wrong; what to do". The daemon starts all the same.
std::vector<std::string> config_advice(const DaemonConfig& config);

}  // namespace datum
