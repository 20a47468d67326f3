// The virtual 3D sensor's view of a faceted part: heights along its lines of sight, occlusion, shadows. Noise
// is added by twin_render.h.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "tests/virtual_cell/part_shape.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum {

/// Faces steeper than this against the line of sight give no height, as on matt metal.
inline constexpr double steepest_deg = 75;

/// `view` gives the pixel grid and the slope of the light; its sensor_from_board is not used. Steep faces
/// still occlude.
TwinSurface look_at(const std::vector<PartFacet>& facets, const Eigen::Matrix4d& sensor_from_part,
                    const TwinView& view);

}  // namespace datum
