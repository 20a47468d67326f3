// Characteristics of a region of a surface with their standard uncertainties, and refusals of a region.
#pragma once

#include "daemon/inspection/surface/facet_map.h"
#include "daemon/inspection/surface/surface_budget.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/inspection/surface/surface_window.h"

namespace datum {

/// Inputs of the judgement of regions.
struct MeasuredSurface {
  SurfaceSources sources;
  const ComparedSurface& surface;
  const SurfaceCover& cover;  // within surface.reach_mm
  /// Area of each region farther than its max_gap_mm from any point.
  const std::vector<double>& gap_mm2;
  const std::vector<WindowExtremes>& extremes;       // of the deviations
  const std::vector<RegionNoise>& noise;             // of each region
  const std::vector<SurfaceStatistics>& statistics;  // of each region
  const std::vector<RegionLifts>& lifts;             // of the extremes of each region
  const Backend& backend;
  const FacetMap* facets = nullptr;  // null where the recipe has no [facet_map]
};

/// The region's middle in the first snapshot that saw it.
DeviationPlace middle_of(const MeasuredSurface& m, std::size_t region);

/// Evidence of a region, independent of its judgement.
RegionEvidence evidence_of(const MeasuredSurface& m, std::size_t region);

/// Reason and text where the region can't be judged; Reason::none where it can.
std::pair<Reason, std::string> region_refusal(const MeasuredSurface& m, std::size_t region);

/// Value, u and budget of one check, without a decision; INVALID with its reason where there is no value.
/// `datum` is the check's datum region, or the region itself.
CheckVerdict evaluate(const Check& check, std::size_t region, std::size_t datum, const MeasuredSurface& m);

}  // namespace datum
