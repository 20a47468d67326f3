// The plant's broker in a file of settings: keys that datumd-plant and datumd-collect read alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

namespace datum {

struct BrokerSettings {
  std::string url;   // amqps://HOST[:PORT], or amqp:// to this computer
  std::string host;  // of the url
  std::uint16_t port = 5671;
  bool secret = true;                    // TLS
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

/// url, host, port and secret. `in_clear`: what an amqp:// to another computer would do, for its refusal. Throws ConfigError.
void read_broker_url(TomlTable& table, const char* in_clear, BrokerSettings& to);
/// user and the files; relative paths are resolved against `folder`. Throws ConfigError.
void read_broker_files(TomlTable& table, const std::filesystem::path& folder, BrokerSettings& to);

/// A path that may be absent, resolved against `folder`; "%d/NAME" as it is. Throws ConfigError where it is empty.
std::filesystem::path path_if(TomlTable& table, const char* key, const std::filesystem::path& folder);
/// Throws ConfigError where one of the two alone is given; `first_given`: `first` is.
void demand_pair(const TomlTable& table, const char* first, bool first_given, const char* second,
                 bool second_given);
/// Throws ConfigError where a file is given that TLS alone reads. `allowed`: with what it would be of use.
void refuse_without_encryption(
    const TomlTable& table, std::initializer_list<std::pair<const char*, const std::filesystem::path*>> files,
    const char* allowed);

}  // namespace datum::config
