// Noise of a surface's snapshots, from the surface's own regions, and its effect on extremes.
//
// Neighbouring pixels correlate (optics, filters, interpolation), so a profile's sigma does not determine how
// far noise lifts the highest of all windows. Tiles of a region about their own planes do. Lengths in mm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/inspection/surface/surface_window.h"

namespace datum {

/// Residuals of a region's tiles about their own planes; medians over tiles, so that a dent in some of them
/// does not count. Corrected for the degrees of freedom of the planes.
struct RegionNoise {
  /// Bounds of the region's pixels in each snapshot.
  struct Box {
    int top = 0, left = 0, bottom = 0, right = 0;
  };
  std::vector<Box> boxes;
  std::size_t tiles = 0;   // number of evaluated tiles; 0: the region is too small
  int tile_px = 0;         // side of a tile
  double sigma_mm = 0;     // standard deviation of a pixel
  double freedom = 0;      // degrees of freedom of sigma_mm
  double correlation = 1;  // S = sum of the autocorrelation: n pixels equal n / S independent ones
  /// Mean and standard deviation of a window's lowest pixel (highest, with the other sign).
  double window_mean_mm = 0, window_sigma_mm = 0;
  /// Independent windows per tile: the number of normal values whose highest has the tiles' median.
  double windows_per_tile = 1;
};

/// Noise of each region, by the value of each point. Tiles have 8, 16, 32 or 64 pixels: the smallest that
/// hold 15 independent ones and of which the region holds four, or the largest that it holds. At most 64
/// evenly distributed tiles. The result depends on the points and their order alone.
std::vector<RegionNoise> region_noises(const std::vector<SnapshotGrid>& grids,
                                       const std::vector<std::uint16_t>& region_of_point,
                                       const std::vector<float>& value, std::size_t regions, int window_px);

/// A form level of a region, without noise, and the number of whole tiles on it.
struct FormLevel {
  double mm = 0, share = 0;
  double drop_mm = 0;  // depth of a window's lowest pixel there below its middle
};
/// Form levels of one region: for each snapshot the quadratic through the means of cells of 8 pixels plus its
/// tiles' deviations from it, shrunk by the part of their variance due to noise (James and Stein 1961); at
/// every second pixel in both directions.
std::vector<FormLevel> form_levels(const std::vector<SnapshotGrid>& grids,
                                   const std::vector<std::uint16_t>& region_of_point,
                                   const std::vector<float>& value, std::size_t region,
                                   const RegionNoise& noise, int window_px);

/// Noise's excess in the highest of all windows.
struct NoiseLift {
  double mm = 0;            // expected value: the highest less this is the surface's
  double scatter_mm = 0;    // standard uncertainty: from frame to frame, and of the estimated noise
  double form_mm = 0;       // standard uncertainty: of the number of competing windows, by the surface's form
  bool is_feature = false;  // not explained by noise: a distinct higher place
};

/// `highest` of all windows on a form with these levels. Noise alone stays below x with probability prod
/// Phi((x - level - m) / s)^n over the levels, with m, s and n of RegionNoise. A window beyond the 0.999
/// quantile is a feature: it was selected from the windows of at most one tile, so its excess is rectangular
/// between m and that tile's median.
NoiseLift noise_lift(const RegionNoise& noise, const std::vector<FormLevel>& form, double highest_mm);

}  // namespace datum
