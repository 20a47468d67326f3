// Characteristics of a region by quantiles, and by the facets of its model (facet_map.h). A defect smaller than a facet is
// averaged by PFM and may lie beside FFM's normals: profile and the extremes of deviations see it.
#pragma once

#include "daemon/inspection/surface/facet_surface.h"
#include "daemon/inspection/surface/surface_characteristic.h"

namespace datum {

/// deviation_percentile. What was not seen may lie above or below: bounds that enter U; SURFACE_COVERAGE where the
/// quantile itself may lie there.
void evaluate_percentile(CheckVerdict& v, std::size_t region, const MeasuredSurface& m);

/// pfm_... and ffm_...: of the region's facets away from sharp edges and open rims. SURFACE_COVERAGE where less than the
/// region's min_coverage of their area has data.
void evaluate_facets(CheckVerdict& v, std::size_t region, const MeasuredSurface& m);

}  // namespace datum
