// Pictures of a surface compared with its model: its deviations in colours from stated directions, with what made them.
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/canvas.h"
#include "daemon/pictures/surface_view.h"

namespace datum {

struct SurfacePictureSettings {
  int max_px = 1200;  // longer side of the part
  double range_um =
      0;  // the outermost colours begin at -range and +range; 0: twice the widest region's tolerance
  double reach_mm = 0;  // pixels between points take the nearest one's colour within it
};

/// Colours by deviation_colors.h; what lies within its region's tolerance is grey-green, what was not measured grey, edges
/// and rims have colours of their own. Points of facets without a region have no tolerance.
Canvas draw_surface(const SurfaceMap& map, const BoardVerdict& verdict, const SurfaceView& view,
                    const SurfacePictureSettings& settings);

/// The range that a picture takes where none is given: twice the largest finite limit of any region, or the least round
/// number of um that holds every face point where no region has one.
double range_of(const SurfaceMap& map);

/// The same inputs give the same bytes. Throws std::runtime_error naming the file where it can't be written.
void write_surface_picture(const std::filesystem::path& file, const SurfaceMap& map,
                           const BoardVerdict& verdict, const SurfaceView& view,
                           const SurfacePictureSettings& settings);

}  // namespace datum
