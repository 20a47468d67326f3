#include "daemon/fleet/fleet_settings.h"

namespace datum::config {

FleetSettings read_fleet(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"trusted_keys_folder", "spool_folder"});
  const auto path = [&](const char* key) {
    const std::string text = table.text(key);
    if (text.empty()) table.refuse(key, "is empty", "a path, absolute or from the folder of this file");
    return (folder / text).lexically_normal();
  };
  FleetSettings s{path("trusted_keys_folder"), path("spool_folder")};
  if (s.trusted_keys == s.spool)
    table.refuse("spool_folder",
                 "is the folder of trusted keys, too: who brings a bundle could bring its key",
                 "another folder");
  table.finish();
  return s;
}

}  // namespace datum::config
