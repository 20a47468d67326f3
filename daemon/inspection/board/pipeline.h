// Inspection of a board in one function: a frame is transformed to machine coordinates, rings give floors,
// floors and bodies give heights, heights give a verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "calib/calibration.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"
#include "drivers/frame/sensor_profile.h"
#include "gpu/board/board_measurer.h"
#include "gpu/core/backend.h"

namespace datum {

class AreaSharer;       // gpu/area_share/area_sharer.h
class BoardPlanner;     // daemon/inspection/board/board_planner.h
class Diffuser;         // gpu/diffusion/diffuser.h
class DistanceFinder;   // gpu/model_distance/distance_finder.h
class FacetMatcher;     // gpu/surface_match/facet_matcher.h
class Correlator;       // gpu/phase_correlation/correlator.h
class SurfaceComparer;  // gpu/surface_compare/surface_comparer.h
class SystemInverter;   // gpu/lu/system_inverter.h

/// Steps of a board's inspection, told when they end; what follows the last one decides.
enum class InspectionStep : std::uint8_t { plan, heights, evidence };

/// Inputs of an inspection beside the frame. Pointers are borrowed and outlive the call.
struct InspectionInputs {
  const Recipe* recipe = nullptr;
  const SensorProfile* sensor = nullptr;
  const Calibration* calibration = nullptr;  // null where the recipe is in sensor coordinates
  Pose pose;
  std::string measured_at;                        // ISO 8601 UTC, injected
  std::int64_t now_utc_s = 0;                     // for the calibration's expiry
  std::optional<TemperatureReading> temperature;  // of the cell, if reported
  std::int64_t temperature_max_age_s = 3600;
  std::string unit_id;
  unsigned threads = 0;                   // for the host's own work; 0: one per core
  BoardPlanner* planner = nullptr;        // caches the plan for the next board; null: no cache
  DistanceFinder* finder = nullptr;       // for a surface's points; null: this program's CPU
  FacetMatcher* matcher = nullptr;        // for a surface's facets; null: this program's CPU
  AreaSharer* sharer = nullptr;           // for the areas of its points; null: this program's CPU
  SurfaceComparer* comparer = nullptr;    // for its points, with areas; null: finder, sharer
  std::span<const HoleEvidence> holes{};  // of a surface's holes, in their order; none were touched
  Diffuser* diffuser = nullptr;           // for a filter; null: this program's CPU
  SystemInverter* inverter = nullptr;     // for a warp's systems; null: this program's CPU
  Correlator* correlator = nullptr;       // for a board's shift; null: this program's CPU
  std::function<void(InspectionStep)> step_ended{};  // a filtered board has each twice; none: nobody asks
};

/// Pose of the board: from the recipe, and in machine coordinates from the calibration with the stage at the
/// pose. Throws CalibrationError where a required calibration is missing.
Htm<Board, Sensor> board_from_sensor(const InspectionInputs& inputs);

/// Never throws because of a frame, a pose or a calibration: the result is then INVALID with its reason.
BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& inputs, BoardMeasurer& measurer);
/// The same on the CPU, with the backend's threads.
BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& inputs, const Backend& backend);

/// Why this recipe can't be measured in frames of this geometry (field of view), one line per component;
/// empty: it can.
std::vector<std::string> check_field_of_view(const HeightFrame& frame, const InspectionInputs& inputs);

}  // namespace datum
