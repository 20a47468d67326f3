// Candidate levels of the artefact's plate in a snapshot.
#pragma once

#include <vector>

#include "calib/artefact/cell_map.h"

namespace datum {

struct Plate {
  Plane3 plane;  // normal.z > 0
  double area_mm2 = 0;
};

/// Planes of at least `least_area_mm2` that are tilted by up to `tilt_limit_rad` against z. Largest first, at
/// most 4.
std::vector<Plate> plates_in(const CellMap& map, double tilt_limit_rad, double least_area_mm2);

}  // namespace datum
