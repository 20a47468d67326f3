#include "daemon/configuration/cell_warnings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "daemon/configuration/config_advice.h"
#include "daemon/configuration/tls_health.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct WrittenFolder {
  const char* key;
  fs::path path;
};

std::vector<WrittenFolder> written_folders(const DaemonConfig& c) {
  std::vector<WrittenFolder> folders;
  const auto add = [&](const char* key, const fs::path& path) {
    if (!path.empty()) folders.push_back({key, path});
  };
  add("results.store_file", c.store.parent_path());
  add("results.pictures_folder", c.pictures.value_or(fs::path()));
  add("sensor.drop_folder", c.file_drop.folder);
  if (c.gocator) add("sensor.gocator.archive_folder", c.gocator->archive.value_or(fs::path()));
  if (c.calibrate) add("inspection.calibrations_folder", c.calibrations);
  if (c.holes) add("holes.log_folder", c.holes->logs);
  return folders;
}

/// The folder, or the nearest parent that exists: datumd makes the rest.
fs::path existing(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

}  // namespace

std::vector<std::string> folder_faults(const DaemonConfig& config) {
  std::vector<std::string> lines;
  for (const auto& [key, path] : written_folders(config)) {
    const fs::path folder = existing(path);
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) continue;
    const std::string why = std::generic_category().message(errno);
    lines.push_back(std::string(key) + ": this account cannot write to " + folder.string() + " (" + why +
                    "); datumd must be able to: datumctl doctor names the command");
  }
  return lines;
}

std::vector<std::string> cell_warnings(const DaemonConfig& config, std::int64_t now_utc_s) {
  std::vector<std::string> lines;
  const auto of_config = [&](const std::vector<std::string>& more) {
    for (const std::string& line : more) lines.push_back(config.file.string() + ": " + line);
  };
  of_config(config_advice(config));
  of_config(config::tls_expiry(config, now_utc_s));
  config::Problems problems;
  problems.attempt([&] { config::load_sensor_profile(config.sensor_profile, problems); });
  for (const auto& doubt : problems.warnings()) lines.push_back(doubt.what());
  return lines;
}

std::vector<std::string> recipe_warnings(const RecipeStore& recipes, const Recipe& recipe,
                                         const DaemonConfig& config, const SensorProfile& sensor,
                                         const Calibration* calibration) {
  if (recipe.sensor_serial != sensor.serial) return {};
  std::vector<std::string> lines = recipes.warnings_of(recipe);
  const SensorFit fit = sensor_fit(recipe, sensor, calibration_at_rest(config, calibration));
  for (const std::string& doubt : fit.doubts) lines.push_back(recipe.file.string() + ": " + doubt);
  return lines;
}

}  // namespace datum
