// Pictures of a surface compared with its model: deviations as colours from stated directions, with their origin.
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/facet_surface.h"
#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/page.h"
#include "daemon/pictures/surface_view.h"

namespace datum {

struct SurfacePictureSettings {
  int max_px = 1200;  // longer side of the part
  double range_um =
      0;  // the outermost colours begin at -range and +range; 0: twice the widest tolerance of a region
  double reach_mm = 0;  // a pixel between points gets the colour of the nearest point within this distance
};

/// Colours of deviation_colors.h; grey-green within the tolerance of a region, stripes without data, and separate colours
/// for edges and rims. What is not PASS stands beside its extreme. Points of facets without a region have no tolerance.
Page draw_surface(const SurfaceMap& map, const BoardVerdict& verdict, const SurfaceView& view,
                  const SurfacePictureSettings& settings);

/// The same of facets_as_surface(), a colour a facet; `origin_mm`: of the compared model.
Page draw_facets(const SurfaceMap& map, FacetsBy by, const std::array<double, 3>& origin_mm,
                 const BoardVerdict& verdict, const SurfaceView& view,
                 const SurfacePictureSettings& settings);

/// The default range: twice the largest finite limit of all regions; without regions, the smallest round number of um
/// that contains every face point.
double range_of(const SurfaceMap& map);

/// The format by the file's ending, as in Page::write(). Throws std::runtime_error that names the file.
void write_surface_picture(const std::filesystem::path& file, const SurfaceMap& map,
                           const BoardVerdict& verdict, const SurfaceView& view,
                           const SurfacePictureSettings& settings);

}  // namespace datum
