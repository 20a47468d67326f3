// What the virtual 3D sensor sees of a part made of facets: heights along its lines of sight, occlusion, shadows. No
// noise: twin_render.h adds it.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "tests/virtual_cell/part_shape.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum {

/// Faces steeper than this to the line of sight give no height, as matt metal does.
inline constexpr double steepest_deg = 75;

/// `view` gives the pixel grid and the slope of the light; its sensor_from_board is not used. What is steep hides what
/// lies behind it nevertheless.
TwinSurface look_at(const std::vector<PartFacet>& facets, const Eigen::Matrix4d& sensor_from_part,
                    const TwinView& view);

}  // namespace datum
