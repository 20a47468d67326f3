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
