// A measured surface compared with its model: values for statistics, characteristics and pictures. Lengths in
// mm. Coordinates are the model's, relative to model->origin, as in the distance search.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/inspection/surface/unset_list.h"
#include "gpu/area_share/area_share.h"
#include "gpu/model_distance/model_distance.h"

namespace datum {

/// Named part of the model's surface with its own limits.
struct SurfaceRegion {
  std::string name;
  double lower_mm = 0,
         upper_mm = 0;  // tolerance of the deviation, positive outside the material; infinite: no limit
};

/// Within a region's tolerance; false where it has no limit.
inline bool is_within(const SurfaceRegion& region, double deviation_mm) {
  return (std::isfinite(region.lower_mm) || std::isfinite(region.upper_mm)) &&
         deviation_mm >= region.lower_mm && deviation_mm <= region.upper_mm;
}

/// Element i of each list of points belongs to measured point i, in the order of snapshots, rows, columns.
struct SurfaceMap {
  std::shared_ptr<const TriangleModel> model;
  std::vector<SurfaceRegion> regions;
  std::vector<std::uint16_t> region_of_facet;  // of the model's facets: index of a region, or no_region

  UnsetList<ModelPoint> points;
  UnsetList<ModelDistance> distances;   // signed, of class face, edge, rim or no_data
  std::vector<std::uint16_t> snapshot;  // of the point
  /// Of the point's facet, where it has data; empty: nobody looked for it yet.
  UnsetList<std::uint16_t> region;

  /// From cover_of(): model area represented by a point; 0 for points that are not judged.
  UnsetList<double> area_mm2;
};

}  // namespace datum
