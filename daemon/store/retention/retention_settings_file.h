// [retention]: what is kept how long, and the room that must be left.
#pragma once

#include "config/toml_reader.h"
#include "daemon/store/retention/settings.h"

namespace datum::config {

/// Throws ConfigError.
RetentionSettings read_retention(TomlTable table);

}  // namespace datum::config
