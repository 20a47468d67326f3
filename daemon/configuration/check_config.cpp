#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "calib/calibration_store.h"
#include "daemon/checks/check_judge.h"
#include "daemon/configuration/cell_warnings.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/configuration/tls_health.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/inspection/surface/surface_model.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {

namespace {

namespace fs = std::filesystem;

/// Collects the problems of several files as text.
class Findings {
 public:
  explicit Findings(const DaemonConfig& config) : config_(config) {}

  void take(const config::Problems& problems) {
    for (const auto& error : problems.errors()) lines.push_back(error.what());
  }
  /// Refuses a key that parses but names an invalid file or value.
  void refuse(const std::string& key, const std::string& problem, const std::string& allowed) {
    const auto at = config_.places.find(key);
    const config::Location where =
        at == config_.places.end() ? config::Location{config_.file.string()} : at->second;
    const bool home = problem.find("~/") != std::string::npos || problem.ends_with("~");
    lines.push_back(
        config::ConfigError(where, key, problem, home ? "a whole path: '~' is a shell's" : allowed).what());
  }
  /// datumd makes a folder itself, but not the folders above it: a misspelt path would be waited at for ever.
  /// True: there is the folder.
  bool folder(const std::string& key, const fs::path& path, bool must_exist) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return true;
    const fs::path wanted = must_exist ? path : path.parent_path();
    if (fs::exists(path, ignored))
      refuse(key, path.string() + " is not a folder", "a folder that exists");
    else if (!fs::is_directory(wanted, ignored) && missing_.insert(wanted).second)
      refuse(key, "there is no folder " + wanted.string(), "a path in a folder that exists");
    return false;
  }

  /// Refuses a folder that has another use: what datumd writes would be read there as something else.
  void own_folder(const std::string& key, const fs::path& path) {
    const auto [first, is_new] = uses_.emplace(path.lexically_normal(), key);
    if (!is_new) refuse(key, path.string() + " is " + first->second + " too", "a folder of its own");
  }

  std::vector<std::string> lines, warnings;

 private:
  const DaemonConfig& config_;
  std::set<fs::path> missing_;              // each is reported once
  std::map<fs::path, std::string> uses_{};  // keys of folders
};

std::optional<SensorProfile> check_sensor(const DaemonConfig& c, Findings& found) {
  std::optional<SensorProfile> sensor;
  std::error_code ignored;
  if (!fs::is_regular_file(c.sensor_profile, ignored)) {
    found.refuse("sensor.profile", c.sensor_profile.string() + " is not a file",
                 "the profile of this cell's sensor");
    return sensor;
  }
  config::Problems problems;
  problems.attempt([&] { sensor = config::load_sensor_profile(c.sensor_profile); });
  found.take(problems);
  return sensor;
}

/// Checks only the validity period of the phase-to-height calibration: the cell's temperature is unknown here.
void check_fringe(const DaemonConfig& c, const SensorProfile& sensor, std::int64_t now_utc_s,
                  Findings& found) {
  if (c.fringe != sensor.fringe.has_value())
    found.refuse("sensor.profile", fringe_contradiction(c, sensor), "one of both");
  if (!sensor.fringe) return;
  config::Problems problems;
  problems.attempt([&] {
    for (const std::string& fault : fringe_faults(sensor, now_utc_s))
      found.lines.push_back(c.sensor_profile.string() + ": " + fault);
  });
  found.take(problems);
}

/// The calibration that the cell would use; none: there is none yet, or found tells why not.
std::optional<Calibration> check_calibrations(const DaemonConfig& c,
                                              const std::optional<SensorProfile>& sensor,
                                              std::int64_t now_utc_s, Findings& found) {
  if (c.calibrations.empty()) return std::nullopt;
  std::error_code ignored;
  // The first calibration creates it.
  if (c.calibration == "current" && !fs::exists(c.calibrations, ignored)) return std::nullopt;
  try {
    const CalibrationStore store(c.calibrations);
    found.lines.insert(found.lines.end(), store.problems().begin(), store.problems().end());
    if (c.calibration.empty() || !sensor) return std::nullopt;
    // A cell without a calibration must be able to start, so that it can be calibrated.
    if (c.calibration == "current" && store.journal_problem().empty() &&
        !store.journal().current("machine", "sensor", sensor->serial))
      return std::nullopt;
    const auto wanted = [&](const Calibration& k) { return k.id == c.calibration; };
    const bool there = std::any_of(store.all().begin(), store.all().end(), wanted);
    if (!store.problems().empty() && !there) return std::nullopt;  // a refused file may be the one
    const Calibration& calibration = store.choose(c.calibration, sensor->serial);
    const std::string why = refusal(calibration, sensor->serial, now_utc_s);
    if (!why.empty()) found.refuse("inspection.calibration", why, "");
    return calibration;
  } catch (const CalibrationError& error) {
    found.refuse("inspection.calibration", error.what(), "");
  }
  return std::nullopt;
}

/// Lists the settings that a recipe of the cell's own sensor lacks. The folder may hold recipes of other sensors.
void check_recipe(const Recipe& recipe, const DaemonConfig& c, const SensorProfile& sensor, Findings& found) {
  for (const std::string& refusal : sensor_fit(recipe, sensor, nullptr).refusals)
    found.lines.push_back(recipe.file.string() + ": " + refusal);
  if (recipe.sensor_serial == sensor.serial && recipe.in_machine_coordinates && c.calibration.empty()) {
    found.lines.push_back(recipe.file.string() +
                          ": board.coordinates: 'machine' needs a calibration; allowed: sensor, or "
                          "inspection.calibration in " +
                          c.file.string());
  }
  if (const char* why = why_no_alignment(); why && recipe.sensor_serial == sensor.serial && recipe.alignment)
    found.lines.push_back(recipe.file.string() + ": alignment: " + why);
  // A recipe that is not chosen may lack its model; arming checks it.
  std::error_code ignored;
  if (recipe.sensor_serial == sensor.serial && recipe.surface &&
      (recipe.name == c.recipe ||
       fs::exists(recipe.surface->model.folder / recipe.surface->model.file, ignored))) {
    try {
      load_surface_model(recipe, 1);
    } catch (const ModelError& error) {
      found.lines.push_back(recipe.file.string() + ": model: " + error.what());
    }
  }
  if (recipe.name == c.recipe && recipe.sensor_serial != sensor.serial) {
    found.refuse("inspection.recipe", "'" + c.recipe + "' is for sensor " + recipe.sensor_serial,
                 "a recipe for this cell's sensor " + sensor.serial);
  }
}

/// Each check's recipe must be there, and have its certified values; the board's own row is made by the measurement.
void check_references(const DaemonConfig& c, const RecipeStore& store, Findings& found) {
  if (!c.reference_checks) return;
  for (const CheckDefinition& check : c.reference_checks->checks) {
    const std::string where = "reference_checks.check." + check.name;
    const Recipe* recipe = store.find(check.recipe);
    if (!recipe && (store.refused(check.recipe) || !store.readable())) continue;
    if (!recipe) {
      found.lines.push_back(fmt::format("{}: {}.recipe: '{}' is not in {}; allowed: a recipe in that folder",
                                        c.file.string(), where, check.recipe, c.recipes.string()));
      continue;
    }
    for (const CertifiedValue& value : check.values)
      if (const std::string why = value_fault(value, *recipe); !why.empty())
        found.lines.push_back(fmt::format("{}: {}.value: {}; allowed: a characteristic that {} measures",
                                          c.file.string(), where, why, recipe->file.string()));
  }
}

void check_recipes(const DaemonConfig& c, const std::optional<SensorProfile>& sensor,
                   const std::optional<Calibration>& calibration, Findings& found) {
  const RecipeStore store(c.recipes);
  found.lines.insert(found.lines.end(), store.problems().begin(), store.problems().end());
  if (sensor) {
    for (const Recipe* recipe : store.all()) {
      check_recipe(*recipe, c, *sensor, found);
      const auto more = recipe_warnings(store, *recipe, c, *sensor, calibration ? &*calibration : nullptr);
      found.warnings.insert(found.warnings.end(), more.begin(), more.end());
    }
  }
  check_references(c, store, found);
  if (c.recipe.empty() || store.find(c.recipe) || store.refused(c.recipe) || !store.readable()) return;
  const std::vector<std::string> names = store.names();
  const config::Words known(names.begin(), names.end());
  found.refuse("inspection.recipe",
               "'" + c.recipe + "' is not in " + c.recipes.string() + config::did_you_mean(c.recipe, known),
               config::one_of(known, "a recipe in that folder"));
}

void check_uses(const DaemonConfig& c, Findings& found) {
  std::error_code ignored;
  if (fs::is_directory(c.store, ignored))
    found.refuse("results.store_file", c.store.string() + " is a folder", "a file, which datumd makes");
  if (!c.file_drop.folder.empty()) found.own_folder("sensor.drop_folder", c.file_drop.folder);
  if (!c.recipes.empty()) found.own_folder("inspection.recipes_folder", c.recipes);
  if (!c.calibrations.empty()) found.own_folder("inspection.calibrations_folder", c.calibrations);
  if (c.pictures) found.own_folder("results.pictures_folder", *c.pictures);
  if (c.lots) found.own_folder("lots.report_folder", c.lots->report_folder);
}

}  // namespace

ConfigCheck check_cell(const fs::path& file, std::int64_t now_utc_s) {
  config::Problems problems;
  const DaemonConfig c = load_daemon_config(file, problems);
  Findings found(c);
  found.take(problems);
  if (!c.store.empty()) found.folder("results.store_file", c.store.parent_path(), true);
  check_uses(c, found);
  if (c.pictures) found.folder("results.pictures_folder", *c.pictures, false);
  if (c.calibrate) found.folder("calibration.artefacts_folder", c.calibrate->artefacts, true);
  if (c.gocator && c.gocator->archive)
    found.folder("sensor.gocator.archive_folder", *c.gocator->archive, false);
  if (c.holes) found.folder("holes.log_folder", c.holes->logs, false);
  if (!c.file_drop.folder.empty()) found.folder("sensor.drop_folder", c.file_drop.folder, false);
  if (const std::string why = config::tls_problem(c); !why.empty())
    found.refuse("host.tcp.tls", why, "files that datumd(8) names under TLS");
  const auto sensor = c.sensor_profile.empty() ? std::nullopt : check_sensor(c, found);
  if (sensor) check_fringe(c, *sensor, now_utc_s, found);
  std::optional<Calibration> calibration;
  // The first calibration makes the folder of "current".
  if (c.calibrations.empty() || c.calibration == "current" ||
      found.folder("inspection.calibrations_folder", c.calibrations, true))
    calibration = check_calibrations(c, sensor, now_utc_s, found);
  if (!c.recipes.empty() && found.folder("inspection.recipes_folder", c.recipes, true))
    check_recipes(c, sensor, calibration, found);
  if (!found.lines.empty()) return {found.lines, {}};
  std::vector<std::string> warnings = cell_warnings(c, now_utc_s);
  warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
  return {{}, std::move(warnings)};
}

std::vector<std::string> lines_of(const ConfigCheck& check) {
  std::vector<std::string> lines = check.problems;
  for (const std::string& warning : check.warnings) lines.push_back("warning: " + warning);
  return lines;
}

std::vector<std::string> check_config(const fs::path& file, std::int64_t now_utc_s) {
  return check_cell(file, now_utc_s).problems;
}

}  // namespace datum
