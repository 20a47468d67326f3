// The plant's database in a file of settings: keys that datumd-collect and datumd-plant-view read alike.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

namespace config {
class TomlTable;
}

struct DatabaseSettings {
  std::string host;  // a name, an address, or the folder of a Unix socket
  int port = 5432;
  std::string name, user;
  std::filesystem::path password_file;               // its first line; empty: none
  std::filesystem::path authority_file;              // PEM of those who may certify the server
  std::filesystem::path certificate_file, key_file;  // PEM of this client; empty: none
};

/// Relative paths are resolved against `folder`. Throws config::ConfigError, also where a password or results would go over a network in
/// clear.
DatabaseSettings read_database_settings(config::TomlTable table, const std::filesystem::path& folder);

/// Connection string of libpq; `program` is what the server calls it. Throws RefusedError where a file with a secret can't be used.
std::string connection_string(const DatabaseSettings& database,
                              const std::string& program = "datumd-collect");

}  // namespace datum
