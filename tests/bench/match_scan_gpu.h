#pragma once

#include <vector>

#include "gpu/surface_match/facet_matcher.h"

namespace datum::bench {

/// Results of the CPU.
struct ScanResults {
  std::vector<ModelDistance> distances;
  std::vector<FacetDeviation> by_points;
  std::vector<FacetPierced> by_surface;
};

/// Prints the device's part of a line, or why there is none.
void scan_match_gpu(const TriangleModel& model, const ModelFacets& facets, const ScannedSurface& scan,
                    const DistanceSettings& distance, const ScanMatchSettings& match,
                    const ScanResults& expected);

}  // namespace datum::bench
