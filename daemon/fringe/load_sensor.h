// A sensor's profile with what reads its deliveries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "drivers/frame/sensor_profile.h"

namespace datum {

class FringeDemodulator;

/// The profile of `file`, with the reader that its [fringe] table selects. Throws config::ConfigError, also for the
/// phase-to-height calibration, and CalibrationError where that belongs to another sensor, or this build has no such reader.
SensorProfile load_sensor(const std::filesystem::path& file, std::shared_ptr<FringeDemodulator> demodulator);
/// The same on the CPU; threads 0: one per core.
SensorProfile load_sensor(const std::filesystem::path& file, unsigned threads);

/// What of a profile's [fringe] load_sensor() or a frame would be refused for, "fringe.calibration: ..."; of the calibration's
/// conditions only its period: the cell's temperature is not known. Throws config::ConfigError for its file.
std::vector<std::string> fringe_faults(const SensorProfile& sensor, std::int64_t now_utc_s);

}  // namespace datum
