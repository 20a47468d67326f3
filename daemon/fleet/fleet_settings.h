// [fleet]: whose bundles of recipes and calibrations a cell takes, and from where.
#pragma once

#include <filesystem>

#include "config/toml_reader.h"

namespace datum {

struct FleetSettings {
  std::filesystem::path trusted_keys;  // folder of public keys
  std::filesystem::path spool;         // folder from which datumd reads bundles
};

}  // namespace datum

namespace datum::config {

/// Relative paths are resolved against `folder`. Throws ConfigError.
FleetSettings read_fleet(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
