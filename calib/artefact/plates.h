// Levels in a snapshot that could be the artefact's plate.
#pragma once

#include <vector>

#include "calib/artefact/cell_map.h"

namespace datum {

struct Plate {
  Plane3 plane;  // normal.z > 0
  double area_mm2 = 0;
};

/// Planes of at least `least_area_mm2` tilted by up to `tilt_limit_rad` against z, the largest first, at most
/// 4.
std::vector<Plate> plates_in(const CellMap& map, double tilt_limit_rad, double least_area_mm2);

}  // namespace datum
