// What the facets of one region say together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "daemon/inspection/surface/area_quantiles.h"

namespace datum {

/// Of a region's facets with data, away from edges.
struct FacetSums {
  AreaSums sums;
  double area_mm2 = 0;      // with data or not
  std::uint64_t count = 0;  // with data
  std::size_t highest = 0, lowest = 0;
  float highest_mm = 0, lowest_mm = 0;

  void add(std::size_t i, float mm, const AreaShare& share) {
    sums.add(share);
    if (count == 0 || mm > highest_mm) {
      highest = i;
      highest_mm = mm;
    }
    if (count == 0 || mm < lowest_mm) {
      lowest = i;
      lowest_mm = mm;
    }
    ++count;
  }
  /// Of facets behind these.
  void add(const FacetSums& o) {
    sums.add(o.sums);
    if (o.count > 0 && (count == 0 || o.highest_mm > highest_mm)) {
      highest = o.highest;
      highest_mm = o.highest_mm;
    }
    if (o.count > 0 && (count == 0 || o.lowest_mm < lowest_mm)) {
      lowest = o.lowest;
      lowest_mm = o.lowest_mm;
    }
    count += o.count;
  }
};

}  // namespace datum
