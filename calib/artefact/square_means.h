// Residuals of a face's points about a plane, averaged over the squares of a grid in that plane.
#pragma once

#include <vector>

#include "calib/fit/feature.h"

namespace datum {

struct SquareMean {
  double mean_mm = 0;
  std::size_t points = 0;
};

/// Squares of `edge_mm` that hold at least `least` points, in unspecified order. The grid starts at the
/// plane's point, along its tangents.
std::vector<SquareMean> square_means(Points points, const Plane3& plane, double edge_mm, std::size_t least);

/// Flatness of a face beyond its noise: range of the means over squares of 16 point spacings, less the
/// contribution of noise, +-3 sigma / 16.
double flatness_mm(Points points, const Fit<Plane3, 3>& fit, double area_mm2);

}  // namespace datum
