// Settings of one Gocator, and the demands on its job.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace datum::gocator {

enum class TriggerBy : std::uint8_t {
  external,  // an input, the encoder or time: the sensor triggers itself
  software,  // datumd sends Trigger when a board's frame is needed
};

struct Settings {
  std::string address = "192.168.1.10";
  std::uint16_t control_port = 3190, health_port = 3194, data_port = 3196;

  std::string job;                         // must be loaded and unmodified
  std::array<std::uint32_t, 3> step_nm{};  // x, y, z resolution demanded of its surfaces
  TriggerBy trigger = TriggerBy::external;
  bool start = true;  // starts the sensor where it is not running

  int answer_ms = 3000;   // for a reply, and for a connection
  int watch_ms = 2000;    // period of requests of state, job and clock
  int stall_ms = 2000;    // longest silence within a data set
  int max_age_ms = 5000;  // of a frame's exposure at its arrival
  int max_message_mib = 64;

  std::optional<std::filesystem::path> archive;  // folder; none: frames are not kept
};

}  // namespace datum::gocator

namespace datum::config {

class TomlTable;

/// Relative paths are resolved against `folder`. Throws ConfigError.
gocator::Settings read_gocator(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
