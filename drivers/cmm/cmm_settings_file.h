// [cmm]: reader of the settings of a machine's position source.
#pragma once

#include "config/toml_reader.h"
#include "drivers/cmm/settings.h"

namespace datum::config {

/// A preset with the table's changes, or all settings with preset = "custom". Throws ConfigError, also where
/// check(CmmSettings) refuses.
CmmSettings read_cmm(TomlTable table);

}  // namespace datum::config
