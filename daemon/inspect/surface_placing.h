// Where a part lies when its surface is compared: as the recipe places it, or as its datums do.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "calib/htm_estimate.h"
#include "daemon/inspect/surface_compare.h"
#include "daemon/inspect/verdict.h"

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

}  // namespace datum
