// A facet map as a compared surface, for statistics and pictures.
#pragma once

#include "daemon/inspection/surface/facet_map.h"

namespace datum {

enum class FacetsBy : std::uint8_t { points, surface };  // PFM, FFM

/// Point i is facet i's middle; its deviation is the mean of the points in front of it, or that of the measured surface along
/// its normal; its area is the facet's. Regions are those of `compared`, without limits.
SurfaceMap facets_as_surface(const FacetMap& map, const SurfaceMap& compared, FacetsBy by);

/// mm^2.
double facet_area(const std::array<std::array<float, 3>, 3>& corners);
/// Relative to the model's origin.
ModelPoint middle_of_facet(const std::array<std::array<float, 3>, 3>& corners);

}  // namespace datum
