// Content of each pixel in a picture of a compared surface.
#pragma once

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/pictures/surface_view.h"

namespace datum {

enum class SurfacePixel : std::uint8_t { beside, no_data, face, edge, rim };

struct SurfacePixels {
  std::vector<SurfacePixel> what;  // in the layout of the raster
  std::vector<float> um;           // mean deviation of the pixel's points; valid for face
};

/// A point is drawn at its nearest place on the model where that is visible. A pixel between points gets the value of the
/// nearest one within reach_mm on the same surface. The result is independent of the order of points.
SurfacePixels pixels_of(const SurfaceMap& map, const SurfaceView& view, const SurfaceRaster& raster,
                        double reach_mm);

/// The same of facets_as_surface(): each pixel has its facet's value.
SurfacePixels pixels_of_facets(const SurfaceMap& map, const SurfaceRaster& raster);

}  // namespace datum
