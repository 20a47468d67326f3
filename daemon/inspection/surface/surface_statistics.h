// Area-weighted statistics of a compared surface (METROLOGY S8).
#pragma once

#include <cmath>

#include "daemon/inspection/surface/surface_map.h"

namespace datum {

/// Deviations in um over points of class face, each with the area that it stands for; what lies nearest to a sharp edge
/// or an open one is counted and has its extremes, but no share in mean and quantiles: its distance is not one along a
/// normal.
struct SurfaceStatistics {
  std::size_t points = 0;                   // with data; those without belong to no region
  std::size_t face = 0, edge = 0, rim = 0;  // by class
  std::size_t face_out = 0, edge_out = 0;   // outside their region's tolerance
  double area_mm2 = 0, out_mm2 = 0;         // that the face points stand for, and those of them outside
  // not a number where there is nothing to tell
  double mean_um = std::nan(""), rms_um = std::nan("");  // rms about 0: the model
  double p1_um = std::nan(""), p50_um = std::nan(""),
         p99_um = std::nan("");                               // least that q of the area does not exceed
  double least_um = std::nan(""), largest_um = std::nan("");  // of face points
  double edge_least_um = std::nan(""), edge_largest_um = std::nan("");  // of edge points
  double fraction_out = std::nan("");                                   // of area_mm2
};

/// Of one region; of facets without a region, whose tolerance is not known and counts nothing as out, for `no_region`.
/// Sums are of integers (deviations in nm, areas in 1e-9 mm^2), so that no order of points changes a bit.
SurfaceStatistics statistics_of(const SurfaceMap& map, std::uint16_t region);
/// Of all points.
SurfaceStatistics statistics_of(const SurfaceMap& map);

/// Points without data: not finite, or further from the model than was searched.
std::size_t points_without_data(const SurfaceMap& map);

/// Bins of equal width over lower_um .. upper_um, their areas in mm^2 from face points; what lies outside is kept apart.
struct DeviationHistogram {
  double lower_um = 0, width_um = 0;
  std::vector<double> area_mm2;
  double below_mm2 = 0, above_mm2 = 0;
};

/// Throws std::invalid_argument for a range or number of bins that is not above 0.
DeviationHistogram histogram_of(const SurfaceMap& map, double lower_um, double upper_um, std::size_t bins);

}  // namespace datum
