#include "drivers/gocator/settings.h"

#include "config/toml_reader.h"

#include <arpa/inet.h>

#include <cmath>

#include "drivers/port/link_settings.h"

namespace datum::config {

namespace {

std::string address(TomlTable& table) {
  const std::string text = table.text("address");
  unsigned char bytes[16];
  if (inet_pton(AF_INET, text.c_str(), bytes) != 1 && inet_pton(AF_INET6, text.c_str(), bytes) != 1)
    table.refuse("address", "'" + text + "' is not a numeric address", "such as 192.168.1.10");
  return text;
}

std::uint16_t port(TomlTable& table, const char* key, std::uint16_t fallback) {
  return static_cast<std::uint16_t>(table.integer_or(key, fallback, 1, 65535));
}

/// The protocol uses whole nanometres.
std::array<std::uint32_t, 3> steps_nm(TomlTable& table) {
  const std::vector<double> um = table.numbers("resolution_um", 3, {0.001, 4e6});
  std::array<std::uint32_t, 3> nm{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double exact = um[i] * 1000;
    nm[i] = static_cast<std::uint32_t>(std::lround(exact));
    if (std::abs(exact - nm[i]) > 1e-6 * exact)
      table.refuse("resolution_um", shown(um[i]) + " um is no whole number of nm",
                   "steps as the sensor states them");
  }
  return nm;
}

}  // namespace

gocator::Settings read_gocator(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"address", "control_port", "health_port", "data_port", "job", "resolution_um", "trigger",
                   "start", "answer_ms", "watch_ms", "stall_ms", "max_age_ms", "max_message_mib",
                   "archive_folder"});
  gocator::Settings s;
  s.address = address(table);
  s.control_port = port(table, "control_port", s.control_port);
  s.health_port = port(table, "health_port", s.health_port);
  s.data_port = port(table, "data_port", s.data_port);
  if (s.control_port == s.health_port || s.control_port == s.data_port || s.health_port == s.data_port)
    table.refuse(table.has("data_port")     ? "data_port"
                 : table.has("health_port") ? "health_port"
                                            : "control_port",
                 "is also another port of the sensor",
                 "three different ports: 3190, 3194 and 3196 at the sensor");
  s.job = table.text("job");
  if (s.job.empty() || s.job.size() > 64)
    table.refuse("job", "has " + std::to_string(s.job.size()) + " characters",
                 "the job's name, 1 to 64 characters");
  s.step_nm = steps_nm(table);
  s.trigger = table.choice<gocator::TriggerBy>(
      "trigger", {{"external", gocator::TriggerBy::external}, {"software", gocator::TriggerBy::software}});
  s.start = table.boolean_or("start", s.start);
  s.answer_ms = read_ms(table, "answer_ms", s.answer_ms, 10);
  s.watch_ms = read_ms(table, "watch_ms", s.watch_ms, 10);
  s.stall_ms = read_ms(table, "stall_ms", s.stall_ms, 10);
  s.max_age_ms = read_ms(table, "max_age_ms", s.max_age_ms, 10);
  s.max_message_mib = static_cast<int>(table.integer_or("max_message_mib", s.max_message_mib, 1, 1024));
  if (const auto archive = table.text_if("archive_folder")) {
    if (archive->empty()) table.refuse("archive_folder", "is empty", "a folder, or no such key");
    s.archive = (folder / *archive).lexically_normal();
  }
  table.finish();
  return s;
}

}  // namespace datum::config
