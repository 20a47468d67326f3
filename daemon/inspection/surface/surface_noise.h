// How noisy the snapshots of a surface are, as the surface's own regions show it, and what noise makes of extremes.
//
// Neighbouring pixels err alike (optics, filters, interpolation): a profile's sigma does not tell how high the highest of all
// windows is lifted by noise. Tiles of a region about their own planes do. Lengths in mm.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/inspection/surface/surface_window.h"
#include "daemon/inspection/surface/unset_list.h"

namespace datum {

struct RegionCells;    // surface_region_form.h
class CellsOfRegions;  // surface_region_form.h

/// Residuals of a region's tiles about their own planes; medians over tiles, so that a dent in some of them does not count.
/// Degrees of freedom that the planes took are given back.
struct RegionNoise {
  /// Where the region's pixels lie in each snapshot.
  struct Box {
    int top = 0, left = 0, bottom = 0, right = 0;
  };
  std::vector<Box> boxes;
  /// Of each snapshot the means in that box, of the values that the noise was found in.
  std::vector<std::shared_ptr<const RegionCells>> cells;
  std::size_t tiles = 0;   // that were looked at; 0: the region is too small, and nothing is told
  int tile_px = 0;         // side of a tile
  double sigma_mm = 0;     // standard deviation of a pixel
  double freedom = 0;      // independent values that it comes from
  double correlation = 1;  // S = sum of the autocorrelation: n pixels tell as much as n / S independent ones
  /// Of the lowest pixel of a window (of the highest with the other sign): mean and standard deviation.
  double window_mean_mm = 0, window_sigma_mm = 0;
  double window_parts =
      1;  // independent pixels of a window: its lowest is distributed as the lowest of so many
  /// Independent windows of a tile: so many have the median highest that tiles have.
  double windows_per_tile = 1;
};

/// Of each region, by the value of each point: tiles of 8, 16, 32 or 64 pixels, the smallest that hold 30 independent ones and of
/// which the region holds four, or the largest that it holds. Looks at 64 tiles at most, evenly taken. The result
/// depends on the points and their order alone.
std::vector<RegionNoise> region_noises(const std::vector<SnapshotGrid>& grids,
                                       const std::vector<std::uint16_t>& region_of_point,
                                       const std::vector<float>& value, std::size_t regions, int window_px,
                                       unsigned threads = 1);

/// The same by cells that fit.
std::vector<RegionNoise> region_noises(const CellsOfRegions& cells, std::size_t regions, int window_px,
                                       unsigned threads);

/// The form of a region, without noise, part by part.
struct FormLevels {
  static constexpr std::size_t of_cell = 16;  // side by side
  UnsetList<double> mm;
  UnsetList<double>
      fall_mm;  // by which the lowest pixel of a window there lies below its middle: of noise and slope the larger
  UnsetList<double> share;  // of each cell: how many whole tiles one of its levels is
  /// Of windows with the highest pixels up (`highest`), and with the lowest ones up.
  struct Side {
    double top_mm = -HUGE_VAL;   // where windows lie without noise of the pixel
    double edge_mm = -HUGE_VAL;  // the highest of the form's own windows
    void take(const Side& o) {
      top_mm = std::max(top_mm, o.top_mm);
      edge_mm = std::max(edge_mm, o.edge_mm);
    }
  } lowest, highest;
  bool empty() const { return mm.empty(); }
};
/// Of one region: for each snapshot the quadratic through the means of cells of 8 pixels, and what its tiles deviate from that, shrunk
/// by the part of their variance that noise makes (James and Stein 1961); at every second pixel both ways.
FormLevels form_levels(const std::vector<SnapshotGrid>& grids,
                       const std::vector<std::uint16_t>& region_of_point, const std::vector<float>& value,
                       std::size_t region, const RegionNoise& noise, int window_px, unsigned threads = 1);
/// The same of the values that the noise was found in.
FormLevels form_levels(const RegionNoise& noise, int window_px, unsigned threads = 1);

/// What noise added to the highest of all windows.
struct NoiseLift {
  double mm = 0;          // expected: the highest less this is the surface's
  double scatter_mm = 0;  // standard uncertainty: from frame to frame, and of the noise's own size
  double form_mm = 0;     // standard uncertainty: how many windows compete, which the surface's form decides
  bool is_feature = false;  // noise does not explain it: a place of its own that is higher
};

/// `highest` of all windows on a form of these levels; `sign` -1: of its other side, whose levels are theirs with the other sign. The highest that noise makes stays below x with the probability
/// prod F((x - level - m) / s)^n over the levels; m, s and n of RegionNoise, F of LowestOf its window_parts. A highest window beyond its quantile of 0.999
/// is a feature: it was picked from the windows of one tile at the most, and was lifted by between m and the median of
/// that: its top may be a point or as wide as a tile, taken as U-shaped (JCGM 101, 6.4.6).
NoiseLift noise_lift(const RegionNoise& noise, const FormLevels& form, double sign, double highest_mm,
                     unsigned threads = 1);

/// Of a region's lowest and highest window, where its checks ask for it.
struct RegionLifts {
  std::optional<NoiseLift> lowest, highest;
};
/// The same of these sides' highest windows, the lowest one's with the other sign; nothing of a side without one.
RegionLifts noise_lifts(const RegionNoise& noise, const FormLevels& form, std::optional<double> lowest_mm,
                        std::optional<double> highest_mm, unsigned threads = 1);

}  // namespace datum
