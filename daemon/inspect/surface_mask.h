// Pixels that a recipe says belong to the fixture are taken out of the snapshots before anything is compared: nothing is told of
// what stands there, and nothing of the part behind it, which counts as not seen.
#pragma once

#include <span>
#include <vector>

#include "calib/htm_estimate.h"
#include "daemon/inspect/surface_recipe.h"
#include "daemon/inspect/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

struct MaskedFrames {
  std::vector<HeightFrame> frames;  // pixels of a mask are of class shadow
  std::vector<MaskEvidence> masks;
};

/// machine_from_sensor: of each frame; none in sensor coordinates.
MaskedFrames without_masks(const SurfaceRecipe& recipe, std::span<const HeightFrame* const> frames,
                           std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor);

}  // namespace datum
