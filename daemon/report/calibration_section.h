// The page of a calibration: its numbers as its file has them, whether it may be used, who accepted it, and how the calibrations of its
// sensor followed each other.
#pragma once

#include <cstdint>
#include <string>

#include "calib/calibration_store.h"

namespace datum {

/// A section of one calibration of the store, as of `now_utc_s`; `id` begins the ids of its tables. U is the expanded uncertainty, k = 2.
std::string calibration_section(const CalibrationStore& store, const Calibration& calibration,
                                std::int64_t now_utc_s, const std::string& id);

/// The newest calibrations of this sensor from `from` (journal_from) with the residuals and uncertainties of each and how far the sensor
/// moved between them, then the events of the journal. Bounded; the page says what it leaves out.
std::string calibration_history(const CalibrationStore& store, const std::string& sensor_serial,
                                const std::string& from, const std::string& id);

/// What is wrong in the folder; empty: nothing.
std::string calibration_problems(const CalibrationStore& store);

}  // namespace datum
