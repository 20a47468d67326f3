// Reader of [reference_checks].
#pragma once

#include "config/toml_reader.h"
#include "daemon/checks/check_settings.h"

namespace datum::config {

/// Throws ConfigError.
CheckSettings read_reference_checks(TomlTable table);

}  // namespace datum::config
