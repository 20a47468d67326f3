// Pose of a part for its comparison: from the recipe's placement or from its datums.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "calib/htm_estimate.h"
#include "daemon/inspection/surface/surface_compare.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

struct PlacedPart {
  Htm<Machine, Model> machine_from_model;
  std::optional<Matrix6d> alignment;  // covariance of model_from_machine
  std::optional<AlignmentEvidence> evidence;
  std::string refusal;  // why the part was not found; empty: found
};

/// `machine_from_sensor` of each frame; empty where the recipe is in sensor coordinates, which then replace
/// the machine's. The result depends on the frames and their order alone.
PlacedPart place_part(const SurfaceRecipe& recipe, const SurfaceModel& model,
                      std::span<const HeightFrame* const> frames,
                      std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor,
                      const Backend& backend);

/// Largest distance from a step of the model, across the rays of a snapshot, at which a pixel may have seen
/// either side, mm. Half a pixel, over which it averages, plus the expanded uncertainty (k = 2) of the part's
/// place before the sensor at the corner of the model's box where it is largest: from the alignment or the
/// placement, and from the calibration with the stage (`station`; null in sensor coordinates).
double edge_zone_mm(const SurfaceShot& shot, const PlacedPart& part,
                    const HtmEstimate<Machine, Sensor>* station, const SurfaceModel& model,
                    const SurfaceUncertainty& uncertainty);

}  // namespace datum
