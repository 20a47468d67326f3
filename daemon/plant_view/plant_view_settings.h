// Settings of datumd-plant-view, a file of its own (config/plant-view.toml explains each key).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "daemon/collect/database_settings.h"
#include "daemon/view/view_server.h"

namespace datum {

struct PlantViewSettings {
  DatabaseSettings database;
  ListenPlace listen{"127.0.0.1", 8026};
  std::set<std::string> names;                 // by which browsers may ask, besides addresses and localhost
  std::vector<int> shift_minutes{0};           // begins of shifts in minutes of the day (UTC), rising
  std::chrono::milliseconds page_limit{5000};  // of reading for one page
};

/// Relative paths are resolved against the file's folder. Throws config::ConfigError.
PlantViewSettings load_plant_view_settings(const std::filesystem::path& file);

/// Seconds since 1970: `from` <= t < `to`.
struct Shift {
  std::int64_t from = 0, to = 0;
};
/// The shift of `utc_s` (`back` 0), or the `back`-th one before it.
Shift shift_at(const std::vector<int>& begins, std::int64_t utc_s, std::size_t back);

}  // namespace datum
