// Characteristics of a region by quantiles, and by the facets of its model (facet_map.h). A defect smaller than a facet is
// averaged by PFM and may lie beside FFM's normals: profile and the extremes of deviations see it.
#pragma once

#include "daemon/inspection/surface/facet_surface.h"
#include "daemon/inspection/surface/surface_characteristic.h"

namespace datum {

/// deviation_percentile. What was not seen may lie above or below: bounds that enter U; SURFACE_COVERAGE where the
/// quantile itself may lie there.
/// Shares of the face points' area whose deviations the region's percentiles ask for; seen_mm2 of area_mm2 has points. Each is above 0
/// and at most 1.
std::vector<double> percentile_shares(const Component& region, double seen_mm2, double area_mm2);

/// By m.statistics, which have those shares.
void evaluate_percentile(CheckVerdict& v, std::size_t region, const MeasuredSurface& m);

/// pfm_... and ffm_...: of the region's facets away from sharp edges and open rims. SURFACE_COVERAGE where less than the
/// region's min_coverage of their area has data.
void evaluate_facets(CheckVerdict& v, std::size_t region, const MeasuredSurface& m);

}  // namespace datum
