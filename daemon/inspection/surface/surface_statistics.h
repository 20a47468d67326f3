// Area-weighted statistics of a compared surface (daemon/inspection/METROLOGY.md, S8).
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "daemon/inspection/surface/surface_map.h"

namespace datum {

/// Of face points: what their quantiles are looked for in.
struct AreaRange {
  std::int64_t least_nm = 0, largest_nm = 0;
  std::int64_t units = 0;  // represented area, 1e-9 mm^2
};

/// Deviations in um over points of class face, weighted by their represented area. Points nearest to a sharp
/// or open edge are counted and have extremes, but are excluded from mean and quantiles, because their
/// distance is not along a normal.
struct SurfaceStatistics {
  std::size_t points = 0;                   // with data; others belong to no region
  std::size_t face = 0, edge = 0, rim = 0;  // by class
  std::size_t face_out = 0, edge_out = 0;   // outside their region's tolerance
  /// Area represented by the face points, and by those out of tolerance.
  double area_mm2 = 0, out_mm2 = 0;
  // NaN where there is no data
  double mean_um = std::nan(""), rms_um = std::nan("");  // rms about 0: the model
  double p1_um = std::nan(""), p50_um = std::nan(""),
         /// quantile: least value that q of the area does not exceed.
      p99_um = std::nan("");
  double least_um = std::nan(""), largest_um = std::nan("");            // of face points
  double edge_least_um = std::nan(""), edge_largest_um = std::nan("");  // of edge points
  double fraction_out = std::nan("");                                   // of area_mm2
  AreaRange range;
  std::map<double, double> at_share_um;  // quantiles that were asked for besides, by share
};

/// Statistics of one region, or for `no_region` of facets without region and tolerance. Sums are of integers
/// (deviations in nm, areas in 1e-9 mm^2), so the result does not depend on the order of points.
SurfaceStatistics statistics_of(const SurfaceMap& map, std::uint16_t region, unsigned threads = 1);
/// Of each region shares of its area, above 0 and at most 1.
using SharesOfRegions = std::vector<std::vector<double>>;
/// Of each of map.regions. `shares`: where further quantiles are wanted, asked for once, when the points' areas are summed.
std::vector<SurfaceStatistics> statistics_of_regions(const SurfaceMap& map, unsigned threads,
                                                     const std::function<SharesOfRegions()>& shares = {});
/// Least deviation of face points, um, that at least `share` of the region's area does not exceed; -infinity and infinity
/// for shares of 0 or less and above 1; NaN without data.
double quantile_of(const SurfaceMap& map, std::uint16_t region, double share);
/// Of several shares at once. `range`: that of the region's statistics.
std::vector<double> quantiles_of(const SurfaceMap& map, std::uint16_t region, const AreaRange& range,
                                 const std::vector<double>& shares, unsigned threads);
/// Statistics of all points.
SurfaceStatistics statistics_of(const SurfaceMap& map);

/// Points without data: not finite, or farther from the model than the search distance.
std::size_t points_without_data(const SurfaceMap& map);

/// Bins of equal width over lower_um .. upper_um, with areas in mm^2 of face points; values outside are
/// counted separately.
struct DeviationHistogram {
  double lower_um = 0, width_um = 0;
  std::vector<double> area_mm2;
  double below_mm2 = 0, above_mm2 = 0;
};

/// Throws std::invalid_argument for a range or number of bins not above 0.
DeviationHistogram histogram_of(const SurfaceMap& map, double lower_um, double upper_um, std::size_t bins);

}  // namespace datum
