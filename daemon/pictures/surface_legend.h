// Legend of a surface's picture.
#pragma once

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/pictures/canvas.h"

namespace datum::picture {

inline constexpr int surface_legend_width = 250, surface_legend_height = 620;

/// The twenty-one steps with their limits in um, the colour of the tolerances, and the colours of the classes.
void draw_surface_legend(Canvas& canvas, const PixelBox& box, const SurfaceMap& map, double range_um);
/// Scale bar, and the rule for a pixel's colour.
void draw_surface_footer(Canvas& canvas, const PixelBox& box, double mm_per_px);

/// At most three decimals, no trailing zeros.
std::string shown_um(double um);

}  // namespace datum::picture
