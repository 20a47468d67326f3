// The cell's configuration: one TOML file; each table is the settings of one part of the daemon.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/calibration/calibrate_settings.h"
#include "daemon/checks/check_settings.h"
#include "daemon/fleet/fleet_settings.h"
#include "daemon/gpu_worker/backend_settings.h"
#include "daemon/holes/hole_settings.h"
#include "daemon/hosts/command_server.h"
#include "daemon/instrument/recipe_files.h"
#include "daemon/metrics/settings.h"
#include "daemon/modbus/settings.h"
#include "daemon/store/lot_settings.h"
#include "daemon/store/plant_settings.h"
#include "daemon/store/retention/settings.h"
#include "daemon/store/signing_settings.h"
#include "drivers/cmm/settings.h"
#include "drivers/genicam/settings.h"
#include "drivers/gocator/settings.h"
#include "drivers/port/port.h"
#include "drivers/scanner/settings.h"
#include "drivers/sensor/file_drop.h"

namespace datum {

/// The event that starts a measurement in an armed cell.
enum class TriggerMode : std::uint8_t {
  on_frame,  // each frame that the sensor delivers
  bus,       // a TRIGger command; the next frame is measured
};

struct SerialLinkSettings {
  SerialSettings line;
  bool push_results = true;
  std::optional<GocatorSettings> gocator{};  // none: SCPI
  Role role = Role::configure;
};

struct DaemonConfig {
  std::filesystem::path file;
  std::string sha256;
  std::string cell;  // name of the cell, in *IDN? and the log

  std::filesystem::path sensor_profile;
  FileDropSettings file_drop;                // where kind is file_drop or fringe
  bool fringe = false;                       // the delivered files are raw fringe images
  std::optional<gocator::Settings> gocator;  // where kind is gocator
  std::optional<genicam::Settings> genicam;  // where kind is genicam
  std::optional<CmmSettings> cmm;            // none: the measurement uses no pose
  std::optional<ScannerSettings> scanner;    // none: hosts and sidecars state serial numbers

  std::filesystem::path recipes;       // folder
  RecipeQuota recipe_quota;            // limits for uploads by hosts
  std::string recipe;                  // chosen at start; empty: a host chooses
  std::filesystem::path calibrations;  // folder
  std::string calibration;  // id, or "current"; empty: only recipes in sensor coordinates can be measured
  TriggerMode trigger = TriggerMode::on_frame;
  bool arm_at_start = false;
  int temperature_max_age_s = 3600;
  int frame_timeout_ms =
      5000;  // ms from the trigger (with a CMM: from the position before the exposure) to the arrival of the frame
  int late_frame_ms =
      50'000;  // ms after a trigger its frame can no longer arrive; default 10 * frame_timeout_ms

  std::filesystem::path store;                    // SQLite file
  std::optional<std::filesystem::path> pictures;  // folder; none: no picture is written
  RetentionSettings retention;
  std::optional<SigningSettings> signatures;      // none: heads of the chain are not signed
  std::optional<CheckSettings> reference_checks;  // none: verdicts rely on no artefact
  BackendSettings backend;
  std::optional<CalibrateSettings> calibrate;  // none: this cell offers no calibration
  std::optional<HoleSettings> holes;           // none: this cell offers no hole measurement

  std::optional<SerialLinkSettings> serial;  // the host's serial line
  std::optional<CommandServerSettings> tcp;
  std::optional<modbus::TcpSettings> modbus_tcp;
  std::optional<modbus::SerialLineSettings> modbus_serial;
  std::optional<CommandServerSettings> gocator_host;  // results in the ASCII protocol of Gocator sensors
  ControlSettings control;
  std::optional<MetricsSettings> metrics;  // none: no metrics are served
  std::optional<PlantSettings> plant;      // of datumd-plant; none: this cell has no plant
  std::optional<LotSettings> lots;         // of datumd-view; none: it writes no report at the end of a lot
  std::optional<FleetSettings> fleet;      // none: this cell takes no bundles

  /// Location of each key by its full name ("inspection.calibration"), for messages.
  std::map<std::string, config::Location> places;
};

/// Folder whose done/ holds the measured deliveries; empty: deliveries are not kept.
std::filesystem::path deliveries_folder(const DaemonConfig& config);
/// True: the sensor exposes only on the software trigger that a host's command sends.
bool sensor_waits_for_software(const DaemonConfig& config);

/// The contradiction between sensor.kind and the sensor profile: one names raw fringe images, the other does not.
std::string fringe_contradiction(const DaemonConfig& config, const SensorProfile& sensor);

/// Relative paths are resolved against the folder of the configuration. Throws config::ConfigError.
DaemonConfig load_daemon_config(const std::filesystem::path& file);
/// The same, but collects every problem of a key in `problems`.
DaemonConfig load_daemon_config(const std::filesystem::path& file, config::Problems& problems);

/// One line each, "FILE:LINE:COLUMN: KEY: what is wrong; allowed: values".
struct ConfigCheck {
  std::vector<std::string> problems;  // none: the daemon can start
  std::vector<std::string> warnings;  // of what is valid and probably not meant; only without problems
};

/// As datumd --check-config prints it: problems as they are, warnings after "warning: ".
std::vector<std::string> lines_of(const ConfigCheck& check);

/// Checks a configuration, its folders, sensor profile, calibrations and recipes, and their consistency.
ConfigCheck check_cell(const std::filesystem::path& file, std::int64_t now_utc_s);
/// The problems alone.
std::vector<std::string> check_config(const std::filesystem::path& file, std::int64_t now_utc_s);

}  // namespace datum
