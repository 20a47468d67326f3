// What a procedure works with: a task that an operator and the cell do step by step, fed from the cell's links.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "config/toml_reader.h"
#include "daemon/calibration/calibrate_settings.h"
#include "daemon/system/log_event.h"
#include "daemon/system/worker.h"
#include "drivers/cmm/settings.h"
#include "drivers/cmm/source.h"
#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/frame_source.h"

namespace datum {

/// What the cell's configuration says of such a task.
struct ProcedureSettings {
  const std::filesystem::path& calibrations;  // folder
  const std::optional<CalibrateSettings>& calibrate;
  const std::optional<CmmSettings>& cmm;
  int frame_timeout_ms;
};

/// All of it outlives the procedure.
struct ProcedureDependencies {
  ProcedureSettings config;
  const SensorProfile& sensor;
  Worker& worker;
  FrameSource& frames;
  CmmSource* cmm;
  std::function<std::int64_t()> utc_ns;
  LogSink log;
  std::function<void()> changed;                              // state or conditions: hosts are told
  std::function<void(int number, const std::string&)> raise;  // into every host's error queue
  const config::TomlParser* texts = nullptr;                  // who parses calibrations; null: this process
};

}  // namespace datum
