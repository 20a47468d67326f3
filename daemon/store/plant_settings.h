// [plant]: the broker to which datumd-plant sends what the store holds.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

struct PlantSettings {
  std::string url;       // amqps://HOST[:PORT], or amqp:// to this computer
  std::string handle;    // CFX handle of the cell, "Vendor.Model.Serial"
  std::string messages;  // the broker's address for CFX messages; empty: none are sent
  std::string entries;   // the same for entries of the hash chain; empty: none are sent
  int window = 100;      // messages that are not yet accepted, at most
  int heartbeat_s = 60;
  std::string user;                      // SASL PLAIN; empty: none
  std::filesystem::path password_file;   // its first line
  std::filesystem::path authority_file;  // PEM of those who may certify the broker; empty: the system's
  std::filesystem::path certificate_file, key_file;  // PEM of this client; empty: none
};

}  // namespace datum

namespace datum::config {

class TomlTable;

/// Relative paths are resolved against `folder`. Throws ConfigError, also where a password or results would go over a network
/// in clear.
PlantSettings read_plant(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
