// The verdict of a part before its comparison with the model.
#pragma once

#include <span>
#include <string>

#include "daemon/inspection/surface/pipeline_surface.h"

namespace datum {

/// Recipe, calibration, sensor and the snapshots that arrived; nothing is decided yet. `backend`: by what it is measured.
BoardVerdict begun_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in,
                           const std::string& backend);

}  // namespace datum
