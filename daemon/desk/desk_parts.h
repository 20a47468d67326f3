// What a desk works with: a place in the cell where an operator's task is done step by step, fed from the cell's links.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "config/daemon_config.h"
#include "daemon/loop/worker.h"
#include "daemon/report/command_link.h"
#include "drivers/cmm/source.h"
#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/frame_source.h"

namespace datum {

/// All of it outlives the desk.
struct DeskParts {
  const DaemonConfig& config;
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
