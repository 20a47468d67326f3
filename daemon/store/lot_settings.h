// [lots]: reports that datumd-view writes at the end of each lot.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "config/toml_reader.h"

namespace datum {

struct LotSettings {
  std::filesystem::path report_folder;
  int most_boards = 1000;  // a lot ends with so many boards,
  int idle_min = 60;       // or this time after its last one; and with the last board before another recipe
};

}  // namespace datum

namespace datum::config {

/// A relative folder is resolved against that of `file`, the configuration. `places` gets its key's. Throws ConfigError.
LotSettings read_lots(TomlTable table, const std::filesystem::path& file,
                      std::map<std::string, Location>& places);

}  // namespace datum::config
