// Radial kernel of a thin-plate spline.
#pragma once

#include <cmath>

namespace datum {

/// r^2 ln r^2 as a function of r^2; its limit at 0 is 0.
inline double thin_plate_kernel(double r2) { return r2 > 0 ? r2 * std::log(r2) : 0; }

}  // namespace datum
