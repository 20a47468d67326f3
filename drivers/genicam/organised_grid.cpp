#include "drivers/genicam/organised_grid.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/genicam/payload_error.h"

namespace datum::genicam {
namespace {

template <class Visit>
void each_ok(const Planes& planes, const std::vector<PixelClass>& classes, Visit visit) {
  for (std::size_t row = 0; row < planes.rows; ++row)
    for (std::size_t col = 0; col < planes.cols; ++col)
      if (classes[row * planes.cols + col] == PixelClass::ok) visit(row, col);
}

}  // namespace

AxisScale grid_axis(const Plane& plane, const Scan3d& scan3d, std::size_t axis, const Planes& planes,
                    const std::vector<PixelClass>& classes) {
  const AxisScale mm = axis_mm(scan3d, axis);
  const auto index = [&](std::size_t row, std::size_t col) {
    return static_cast<double>(axis == 0 ? col : row);
  };
  double n = 0, mean_i = 0, mean_v = 0;
  each_ok(planes, classes, [&](std::size_t row, std::size_t col) {
    n += 1;
    mean_i += (index(row, col) - mean_i) / n;
    mean_v += (mm.at(plane.number(row, col)) - mean_v) / n;
  });
  double ii = 0, iv = 0;  // about the means: coordinates may be far from 0
  each_ok(planes, classes, [&](std::size_t row, std::size_t col) {
    const double i = index(row, col) - mean_i;
    ii += i * i;
    iv += i * (mm.at(plane.number(row, col)) - mean_v);
  });
  const char* along = axis == 0 ? "columns" : "rows";
  const double step = iv / ii;
  if (!(ii > 0) || !std::isfinite(step) || step == 0)
    throw PayloadError(Fault::irregular_grid,
                       fmt::format("coordinate {} says nothing of the {}' distance", "AB"[axis], along));
  const AxisScale fit{step, mean_v - step * mean_i};
  each_ok(planes, classes, [&](std::size_t row, std::size_t col) {
    const double off = mm.at(plane.number(row, col)) - fit.at(index(row, col));
    if (std::abs(off) <= most_deviation_steps * std::abs(step)) return;
    throw PayloadError(
        Fault::irregular_grid,
        fmt::format("the points are no regular grid: row {}, column {} lies {:.3g} mm off its place among {} "
                    "{:.3g} mm apart; have the camera rectify its output (RectifiedC)",
                    row, col, off, along, std::abs(step)));
  });
  return fit;
}

}  // namespace datum::genicam
