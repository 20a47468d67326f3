// Settings of datumd-collect, a file of its own (config/collect.toml explains each key).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "daemon/collect/database_settings.h"
#include "daemon/store/broker_settings.h"

namespace datum {

struct CollectBroker : BrokerSettings {
  std::string entries;  // the broker's address of the entries
  int window = 500;     // messages that are taken and not yet committed, at most
};

struct CollectSettings {
  CollectBroker broker;
  DatabaseSettings database;
  int measurement_days = 60;               // rows of measurements are removed behind them; their sums stay
  int board_days = 0;                      // rows of boards; 0: never
  std::size_t largest_message = 16 << 20;  // bytes
};

/// Relative paths are resolved against the file's folder. Throws config::ConfigError, also where a password or results would go over a
/// network in clear.
CollectSettings load_collect_settings(const std::filesystem::path& file);

}  // namespace datum
