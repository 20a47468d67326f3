// [plant]: the broker to which datumd-plant sends what the store holds.
#pragma once

#include <filesystem>
#include <string>

#include "daemon/store/broker_settings.h"

namespace datum {

struct PlantSettings : BrokerSettings {
  std::string handle;    // CFX handle of the cell, "Vendor.Model.Serial"
  std::string messages;  // the broker's address for CFX messages; empty: none are sent
  std::string entries;   // the same for entries of the hash chain; empty: none are sent
  int window = 100;      // messages that are not yet accepted, at most
  int heartbeat_s = 60;
};

}  // namespace datum

namespace datum::config {

class TomlTable;

/// Relative paths are resolved against `folder`. Throws ConfigError, also where a password or results would go over a network
/// in clear.
PlantSettings read_plant(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
