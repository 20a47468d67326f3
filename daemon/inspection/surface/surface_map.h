// A measured surface compared with its model: values only, read by statistics, characteristics and pictures.
// Lengths in mm. Coordinates are the model's, relative to model->origin, as the search takes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/model_distance/model_distance.h"

namespace datum {

/// Part of the model's surface that has a name and limits of its own.
struct SurfaceRegion {
  std::string name;
  double lower_mm = 0,
         upper_mm = 0;  // tolerance of the deviation, positive outside the material; infinite: no limit
};

/// Within a region's tolerance; false where it states no limit.
inline bool is_within(const SurfaceRegion& region, double deviation_mm) {
  return (std::isfinite(region.lower_mm) || std::isfinite(region.upper_mm)) &&
         deviation_mm >= region.lower_mm && deviation_mm <= region.upper_mm;
}

/// Facets that belong to no region.
inline constexpr std::uint16_t no_region = 0xFFFF;

/// Element i of each list of points belongs to measured point i, in the order of snapshots, rows, columns.
struct SurfaceMap {
  std::shared_ptr<const TriangleModel> model;
  std::vector<SurfaceRegion> regions;
  std::vector<std::uint16_t> region_of_facet;  // of the model's facets: index of a region, or no_region

  std::vector<ModelPoint> points;
  std::vector<ModelDistance> distances;  // signed, of class face, edge, rim or no_data
  std::vector<std::uint16_t> snapshot;   // that the point was seen in

  /// From cover_of(): the area of the model that a point stands for; 0 of points that are not judged.
  std::vector<double> area_mm2;
};

}  // namespace datum
