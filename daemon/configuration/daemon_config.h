// The cell's configuration: one TOML file whose tables map one to one to the settings of the daemon's parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/calibration/calibrate_settings.h"
#include "daemon/gpu_worker/backend_settings.h"
#include "daemon/holes/hole_settings.h"
#include "daemon/hosts/command_server.h"
#include "daemon/instrument/recipe_files.h"
#include "daemon/metrics/settings.h"
#include "daemon/modbus/settings.h"
#include "daemon/store/retention/settings.h"
#include "daemon/store/signing_settings.h"
#include "drivers/cmm/settings.h"
#include "drivers/genicam/settings.h"
#include "drivers/gocator/settings.h"
#include "drivers/port/port.h"
#include "drivers/sensor/file_drop.h"

namespace datum {

/// What starts a measurement once the cell is armed.
enum class TriggerMode : std::uint8_t {
  on_frame,  // each frame that the sensor delivers
  bus,       // a TRIGger command; the next frame after it is measured
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
  std::string cell;  // its name, in *IDN? and the log

  std::filesystem::path sensor_profile;
  FileDropSettings file_drop;                // where kind is file_drop or fringe
  bool fringe = false;                       // what is dropped are raw images of fringes
  std::optional<gocator::Settings> gocator;  // where kind is gocator
  std::optional<genicam::Settings> genicam;  // where kind is genicam
  std::optional<CmmSettings> cmm;            // none: no pose is used

  std::filesystem::path recipes;       // folder
  RecipeQuota recipe_quota;            // that hosts may fill it to
  std::string recipe;                  // chosen at start; empty: a host chooses
  std::filesystem::path calibrations;  // folder
  std::string calibration;  // id, or "current"; empty: only recipes in sensor coordinates can be measured
  TriggerMode trigger = TriggerMode::on_frame;
  bool arm_at_start = false;
  int temperature_max_age_s = 3600;
  int frame_timeout_ms =
      5000;  // from the trigger (with a CMM: from the position before) to the frame's arrival
  int late_frame_ms =
      50'000;  // from a trigger: later than that no frame of it comes; default ten frame_timeout_ms

  std::filesystem::path store;                    // SQLite file
  std::optional<std::filesystem::path> pictures;  // folder; none: no picture is written
  RetentionSettings retention;
  std::optional<SigningSettings> signatures;  // none: heads of the chain are not signed
  BackendSettings backend;
  std::optional<CalibrateSettings> calibrate;  // none: the cell can't be calibrated here
  std::optional<HoleSettings> holes;           // none: no hole is scanned and touched here

  std::optional<SerialLinkSettings> serial;  // the host's serial line
  std::optional<CommandServerSettings> tcp;
  std::optional<modbus::TcpSettings> modbus_tcp;
  std::optional<modbus::SerialLineSettings> modbus_serial;
  std::optional<CommandServerSettings> gocator_host;  // results as a Gocator sensor writes them
  ControlSettings control;
  std::optional<MetricsSettings> metrics;  // none: nobody can read them

  /// Where each key stands, by its full name ("inspection.calibration"), for messages about what it names.
  std::map<std::string, config::Location> places;
};

/// Below it, in done/, lie the deliveries that were measured; empty: they are not kept.
std::filesystem::path deliveries_folder(const DaemonConfig& config);
/// Only a command that asks for a frame makes its sensor expose.
bool sensor_waits_for_software(const DaemonConfig& config);

/// What is wrong between sensor.kind and its profile, of which one means raw images of fringes and the other does not.
std::string fringe_contradiction(const DaemonConfig& config, const SensorProfile& sensor);

/// Relative paths are resolved against the folder of the configuration. Throws config::ConfigError.
DaemonConfig load_daemon_config(const std::filesystem::path& file);
/// The same, naming every problem and not only the first.
DaemonConfig load_daemon_config(const std::filesystem::path& file, config::Problems& problems);

/// Everything that is wrong with a configuration, its folders, sensor profile, calibrations and recipes, and
/// between them: one line each, "FILE:LINE:COLUMN: KEY: what is wrong; allowed: what is". Empty: the daemon
/// can start.
std::vector<std::string> check_config(const std::filesystem::path& file, std::int64_t now_utc_s);

}  // namespace datum
