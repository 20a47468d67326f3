// What a picture of a compared surface shows at each pixel.
#pragma once

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/pictures/surface_view.h"

namespace datum {

enum class SurfacePixel : std::uint8_t { beside, no_data, face, edge, rim };

struct SurfacePixels {
  std::vector<SurfacePixel> what;  // as the raster's
  std::vector<float> um;           // mean deviation of the points that lie there; meaningful for face
};

/// Points are drawn where the place of the model nearest to them lies, if the viewer sees it; a pixel between them takes the
/// nearest one's within reach_mm on the same surface. The order of points changes nothing.
SurfacePixels pixels_of(const SurfaceMap& map, const SurfaceView& view, const SurfaceRaster& raster,
                        double reach_mm);

}  // namespace datum
