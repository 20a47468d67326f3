// Points that come as rows and columns with their own x and y: whether they are a grid, and which. Pure.
#pragma once

#include "drivers/genicam/planes.h"

namespace datum::genicam {

/// Of the steps: a point that lies further from its place in the grid is nearer to a neighbour's, or half way there
/// with the neighbour's own deviation.
inline constexpr double most_deviation_steps = 0.25;

/// The axis that grows with the column (axis 0, A) or with the row (axis 1, B), fitted by least squares over the pixels
/// that are `ok`, in mm. Throws PayloadError (irregular_grid): fewer than two columns or rows with data, or a point
/// that lies further off.
AxisScale grid_axis(const Plane& plane, const Scan3d& scan3d, std::size_t axis, const Planes& planes,
                    const std::vector<PixelClass>& classes);

}  // namespace datum::genicam
