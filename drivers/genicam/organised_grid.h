// Verification that points with rows, columns and their own x and y form a grid, and its axes. Pure.
#pragma once

#include "drivers/genicam/planes.h"

namespace datum::genicam {

/// In steps: a point farther from its grid place is nearer to a neighbour's, or half-way there with the
/// neighbour's own deviation.
inline constexpr double most_deviation_steps = 0.25;

/// The axis along the columns (axis 0, A) or the rows (axis 1, B), fitted by least squares to the `ok`
/// pixels, in mm. Throws PayloadError (irregular_grid): fewer than two columns or rows with data, or a point
/// with a larger deviation.
AxisScale grid_axis(const Plane& plane, const Scan3d& scan3d, std::size_t axis, const Planes& planes,
                    const std::vector<PixelClass>& classes);

}  // namespace datum::genicam
