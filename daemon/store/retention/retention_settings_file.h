// [retention]: how long data is kept, and the reserve of free space.
#pragma once

#include "config/toml_reader.h"
#include "daemon/store/retention/settings.h"

namespace datum::config {

/// Throws ConfigError.
RetentionSettings read_retention(TomlTable table);

}  // namespace datum::config
