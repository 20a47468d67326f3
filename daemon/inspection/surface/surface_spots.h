// Spots: adjacent pixels of one snapshot that contradict conformity, even if they fill no window.
//
// An extreme counts where a whole window of pixels has it. A group that fills no window is neither an extreme
// nor evidence for PASS: least_spot_px pixels out of tolerance, each within spot_reach_px of another, make
// their regions INVALID. This is an area opening (L. Vincent, "Morphological area openings and closings for
// grey-scale images", 1993) of the pixels out of tolerance. The reach is two pixels, because the pixels that
// see an edge displaced by less than a pixel do not touch. An edge displaced by little more than the zone in
// which a step explains everything is seen by one pixel in many; pixels compared with a step and deviating in
// the same direction are joined within step_reach_px.
//
// Pixels within noise do not count as out of tolerance: values within 5 standard deviations of a pixel from
// the region's level (of 10^6 pixels 0.6 lie beyond, and a spot needs four). That level is the lesser of its
// highest window, which no thin line changes, and the deviation exceeded by 1 % of its pixels, which no small
// place changes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/inspection/surface/surface_characteristic.h"

namespace datum {

inline constexpr std::uint32_t least_spot_px = 4;
inline constexpr int spot_reach_px = 2;  // along rows and columns
/// For steps: an edge displaced by a sixteenth of a pixel beyond the explained zone appears in every
/// sixteenth pixel along it.
inline constexpr int step_reach_px = 16;

struct SurfaceSpot {
  std::uint32_t pixels = 0;     // of the whole spot; 0: none
  std::uint32_t at = no_point;  // its first point that belongs to the region
};

/// Element r: the largest spot that touches region r; the last one: facets without region. is_out and
/// region_of_point have one element per point; a spot may touch several regions.
std::vector<SurfaceSpot> spots_of(const std::vector<SnapshotGrid>& grids,
                                  const std::vector<std::uint8_t>& is_out,
                                  const std::vector<std::uint16_t>& region_of_point, std::size_t regions,
                                  std::uint32_t least_px, int reach_px = spot_reach_px);

/// Evidence against a part beside its extremes.
struct SurfaceSpots {
  std::vector<SurfaceSpot> beyond;  // farther than the search distance before or behind the model
  std::vector<SurfaceSpot> out;     // outside the region's tolerance, or beyond
};
/// Points out of their regions' tolerance, whatever noise explains, looked for in runs. Borrows the surface.
class OutOfTolerance {
 public:
  explicit OutOfTolerance(const ComparedSurface& surface);
  std::size_t runs() const { return of_run_.size(); }
  /// Each once, on any thread.
  void look_at(std::size_t run);
  // When all were looked at:
  /// Whether they, and the points beyond the search distance, are enough for a spot: those of most parts are not.
  bool can_have_spots(const SurfaceSettings& settings) const;
  /// In their order.
  std::vector<std::uint32_t> points() const;

 private:
  const ComparedSurface& surface_;
  std::vector<std::vector<std::uint32_t>> of_run_;
};

/// `noise` and `extremes` of each region's deviations; the profile's noise is used where a region has none.
SurfaceSpots find_spots(const ComparedSurface& surface, const OutOfTolerance& out,
                        const SurfaceSettings& settings, const std::vector<WindowExtremes>& extremes,
                        const std::vector<RegionNoise>& noise, const SensorProfile& sensor,
                        unsigned threads = 1);

/// Reason and text why no check of the region, or of facets without region (`region` = no_region), can be
/// decided; Reason::none where it can.
std::pair<Reason, std::string> beyond_refusal(const MeasuredSurface& m, const SurfaceSpots& spots,
                                              std::size_t region);
/// Why a check that does not FAIL can't be decided either.
std::pair<Reason, std::string> spot_refusal(const MeasuredSurface& m, const SurfaceSpots& spots,
                                            const Check& check, std::size_t region, std::size_t datum);

}  // namespace datum
