// [cmm]: how the machine's positions come in.
#pragma once

#include "config/toml_reader.h"
#include "drivers/cmm/settings.h"

namespace datum::config {

/// A preset with what the table changes of it, or everything with preset = "custom". Throws ConfigError, also
/// for what check(CmmSettings) refuses.
CmmSettings read_cmm(TomlTable table);

}  // namespace datum::config
