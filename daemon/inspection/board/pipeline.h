// The story in one function: a frame becomes machine coordinates, rings become floors, floors and bodies
// become heights, heights become a verdict.
#pragma once

#include "calib/calibration.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"
#include "drivers/frame/sensor_profile.h"
#include "gpu/board/board_measurer.h"
#include "gpu/core/backend.h"

namespace datum {

class BoardPlanner;    // daemon/inspection/board/board_planner.h
class Diffuser;        // gpu/diffusion/diffuser.h
class DistanceFinder;  // gpu/model_distance/distance_finder.h

/// What an inspection needs beside the frame. Pointers are borrowed and outlive the call.
struct InspectionInputs {
  const Recipe* recipe = nullptr;
  const SensorProfile* sensor = nullptr;
  const Calibration* calibration = nullptr;  // null where the recipe is in sensor coordinates
  Pose pose;
  std::string measured_at;                        // ISO 8601 UTC, injected
  std::int64_t now_utc_s = 0;                     // for the calibration's expiry
  std::optional<TemperatureReading> temperature;  // of the cell, where somebody told it
  std::int64_t temperature_max_age_s = 3600;
  std::string unit_id;
  unsigned threads = 0;              // for what the host does itself; 0: one per core
  BoardPlanner* planner = nullptr;   // keeps the plan for the next board; null: nothing is kept
  DistanceFinder* finder = nullptr;  // of a surface's points; null: this program's CPU
  Diffuser* diffuser = nullptr;      // of a filter; null: this program's CPU
};

/// Where the board lies: recipe, and in machine coordinates the calibration with the stage at the pose.
/// Throws CalibrationError where a demanded calibration is missing.
Htm<Board, Sensor> board_from_sensor(const InspectionInputs& inputs);

/// Never throws for what a frame, a pose or a calibration may be: that gives INVALID with its reason.
BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& inputs, BoardMeasurer& measurer);
/// The same on the CPU, with the backend's threads.
BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& inputs, const Backend& backend);

/// Why this recipe can't be measured in frames of this geometry (field of view), one line per component;
/// empty: it can.
std::vector<std::string> check_field_of_view(const HeightFrame& frame, const InspectionInputs& inputs);

}  // namespace datum
