// Spots: pixels side by side of one snapshot that all speak against a part, however few windows they fill.
//
// An extreme counts where a whole window of pixels has it. What fills no window is no extreme, and no evidence for PASS either:
// least_spot_px pixels that are out, each within spot_reach_px of another, make their regions INVALID. That is an area opening
// (L. Vincent, "Morphological area openings and closings for grey-scale images", 1993) of the pixels that are out. The reach is
// two pixels: of an edge that stands beside its place by less than a pixel, the pixels that see it do not touch. Where it stands
// beside it by little more than the zone in which a step explains all, one pixel in many sees it: pixels that are off the same
// way and were compared with a step belong together within step_reach_px.
//
// What noise alone makes of a region does not count as out: values within 5 standard deviations of a pixel of what the region
// shows beside (of 10^6 pixels 0.6 lie beyond, and a spot takes four). What it shows is the lesser of its highest window, which no
// thin line changes, and the deviation that 1 % of its pixels exceed, which no small place changes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/inspection/surface/surface_characteristic.h"

namespace datum {

inline constexpr std::uint32_t least_spot_px = 4;
inline constexpr int spot_reach_px = 2;  // along rows and columns
/// Of steps: an edge that is off by a sixteenth of a pixel more than explained shows in every sixteenth pixel along it.
inline constexpr int step_reach_px = 16;

struct SurfaceSpot {
  std::uint32_t pixels = 0;     // of the whole spot; 0: there is none
  std::uint32_t at = no_point;  // its first point that belongs to the region
};

/// Element r: the largest spot that reaches into region r, the last one: into facets of no region. is_out and
/// region_of_point have an element for each point; a spot may reach over several regions.
std::vector<SurfaceSpot> spots_of(const std::vector<SnapshotGrid>& grids,
                                  const std::vector<std::uint8_t>& is_out,
                                  const std::vector<std::uint16_t>& region_of_point, std::size_t regions,
                                  std::uint32_t least_px, int reach_px = spot_reach_px);

/// What speaks against a part beside its extremes.
struct SurfaceSpots {
  std::vector<SurfaceSpot> beyond;  // farther than the search before or behind the model
  std::vector<SurfaceSpot> out;     // outside the region's tolerance, or beyond
};
/// `noise` and `extremes` of each region's deviations; where a region tells no noise, the profile's counts.
SurfaceSpots find_spots(const ComparedSurface& surface, const SurfaceSettings& settings,
                        const std::vector<WindowExtremes>& extremes, const std::vector<RegionNoise>& noise,
                        const SensorProfile& sensor);

/// Reason and words why no check of the region, or of facets of no region (`region` = no_region), can be told; Reason::none where it can.
std::pair<Reason, std::string> beyond_refusal(const MeasuredSurface& m, const SurfaceSpots& spots,
                                              std::size_t region);
/// Why a check that would not FAIL can't be told either.
std::pair<Reason, std::string> spot_refusal(const MeasuredSurface& m, const SurfaceSpots& spots,
                                            const Check& check, std::size_t region, std::size_t datum);

}  // namespace datum
