#pragma once

#include <vector>

#include "gpu/surface_match/surface_match.h"

namespace datum::bench {

/// Print rows of the device, or why there are none; `expected`: the CPU's.
void point_match_gpu_rows(const ModelFacets& facets, const std::vector<ModelPoint>& points,
                          const std::vector<PointDirection>& directions, const PointMatchSettings& settings,
                          const std::vector<FacetDeviation>& expected);
void facet_match_gpu_rows(const ModelFacets& facets, const std::vector<MeasuredFacet>& measured,
                          const FacetMatchSettings& settings, const std::vector<FacetPierced>& expected);

}  // namespace datum::bench
