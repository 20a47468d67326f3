// Settings of datumd-collect, a file of its own (config/collect.toml explains each key).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "daemon/store/broker_settings.h"

namespace datum {

struct CollectBroker : BrokerSettings {
  std::string entries;  // the broker's address of the entries
  int window = 500;     // messages that are taken and not yet committed, at most
};

struct CollectDatabase {
  std::string host;  // a name, an address, or the folder of a Unix socket
  int port = 5432;
  std::string name, user;
  std::filesystem::path password_file;               // its first line; empty: none
  std::filesystem::path authority_file;              // PEM of those who may certify the server
  std::filesystem::path certificate_file, key_file;  // PEM of this client; empty: none
};

struct CollectSettings {
  CollectBroker broker;
  CollectDatabase database;
  int measurement_days = 60;               // rows of measurements are removed behind them; their sums stay
  int board_days = 0;                      // rows of boards; 0: never
  std::size_t largest_message = 16 << 20;  // bytes
};

/// Relative paths are resolved against the file's folder. Throws config::ConfigError, also where a password or results would go over a
/// network in clear.
CollectSettings load_collect_settings(const std::filesystem::path& file);

/// Connection string of libpq. Throws std::runtime_error where the password's file can't be read.
std::string connection_string(const CollectDatabase& database);

}  // namespace datum
