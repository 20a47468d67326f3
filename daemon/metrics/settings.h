// [metrics]: socket and port of the metrics.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace datum {

struct MetricsSettings {
  std::filesystem::path socket{};  // a Unix socket; empty: none
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: none
};

}  // namespace datum

namespace datum::config {

class TomlTable;

/// A relative socket path is resolved against `folder`. Throws ConfigError, also for an address that is not loopback.
MetricsSettings read_metrics(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
