// Where a part lies when its surface is compared: as the recipe places it, or as its datums do.
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
  std::string refusal;  // why the part was not found; empty: it was
};

/// `machine_from_sensor` of each frame; empty where the recipe is in sensor coordinates, which then stand for the machine's.
/// The result depends on the frames and their order alone.
PlacedPart place_part(const SurfaceRecipe& recipe, const SurfaceModel& model,
                      std::span<const HeightFrame* const> frames,
                      std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor,
                      const Backend& backend);

/// Across the rays of a snapshot: nearer to a step of the model than this a pixel may have seen either side of it. Half a
/// pixel, what it averages over, and the expanded uncertainty (k = 2) of the part's place before the sensor where it is the
/// largest, at the corners of the model's box: by the alignment or the placement, and by the calibration with the stage
/// (`station`; null in sensor coordinates). mm.
double edge_zone_mm(const SurfaceShot& shot, const PlacedPart& part,
                    const HtmEstimate<Machine, Sensor>* station, const SurfaceModel& model,
                    const SurfaceUncertainty& uncertainty);

}  // namespace datum
