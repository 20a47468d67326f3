// [plant]: the broker to which datumd-plant sends what the store holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace datum {

struct PlantSettings {
  std::string url;   // amqps://HOST[:PORT], or amqp:// to this computer
  std::string host;  // of the url
  std::uint16_t port = 5671;
  bool secret = true;    // TLS
  std::string handle;    // CFX handle of the cell, "Vendor.Model.Serial"
  std::string messages;  // the broker's address for CFX messages; empty: none are sent
  std::string entries;   // the same for entries of the hash chain; empty: none are sent
  int window = 100;      // messages that are not yet accepted, at most
  int heartbeat_s = 60;
  std::string user;                      // SASL PLAIN; empty: none
  std::filesystem::path password_file;   // its first line
  std::filesystem::path authority_file;  // PEM of those who may certify the broker; empty: the system's
  std::filesystem::path crl_file;        // PEM of the lists of what they have revoked; empty: none
  std::filesystem::path certificate_file, key_file;  // PEM of this client; empty: none
  // password_file and key_file may be "%d/NAME": a credential that the service manager hands over.
};

}  // namespace datum

namespace datum::config {

class TomlTable;

/// Relative paths are resolved against `folder`. Throws ConfigError, also where a password or results would go over a network
/// in clear.
PlantSettings read_plant(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
