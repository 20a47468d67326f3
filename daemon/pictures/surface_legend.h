// What the colours of a surface's picture mean.
#pragma once

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/pictures/canvas.h"

namespace datum::picture {

inline constexpr int surface_legend_width = 250, surface_legend_height = 620;

/// The twenty-one steps with the deviations between them in um, the tolerances' colour, the classes' colours.
void draw_surface_legend(Canvas& canvas, const PixelBox& box, const SurfaceMap& map, double range_um);
/// Scale bar and how a pixel's colour comes about.
void draw_surface_footer(Canvas& canvas, const PixelBox& box, double mm_per_px);

/// At most three decimals, no trailing zeros.
std::string shown_um(double um);

}  // namespace datum::picture
