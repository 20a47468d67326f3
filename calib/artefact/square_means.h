// Residuals of a face's points about a plane, averaged over the squares of a grid in that plane.
#pragma once

#include <vector>

#include "calib/fit/feature.h"

namespace datum {

struct SquareMean {
  double mean_mm = 0;
  std::size_t points = 0;
};

/// The squares of `edge_mm` that hold at least `least` points, in no order that means anything. Squares are
/// laid from the plane's point along its tangents.
std::vector<SquareMean> square_means(Points points, const Plane3& plane, double edge_mm, std::size_t least);

/// Flatness of a face that is not of its noise: range of the means over squares of 16 point spacings, less
/// what noise alone makes of it, +-3 sigma / 16.
double flatness_mm(Points points, const Fit<Plane3, 3>& fit, double area_mm2);

}  // namespace datum
