// Two links cannot have one port or one serial line.
#pragma once

#include "config/toml_reader.h"
#include "daemon/configuration/daemon_config.h"

namespace datum {

/// Throws config::ConfigError at the second of two keys with the same TCP port, on one address or where one of them listens on
/// all, or with the same serial line.
void refuse_shared_links(config::TomlTable& file, const DaemonConfig& config);

}  // namespace datum
