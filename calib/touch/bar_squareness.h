// Squareness of two axes of a machine from a ball bar that was touched along both diagonals of their plane (thesis, section
// 2.4: the machine's axes before the sensor is calibrated in them).
#pragma once

#include <array>
#include <vector>

#include "calib/fit/feature.h"

namespace datum {

/// One bar in one place: tip centres on each of its balls, mm, as the scales read them. The tip's radius does not matter: a
/// ball's centre is the centre of the tip's.
using BarTouches = std::array<std::vector<Eigen::Vector3d>, 2>;

/// Axes of the plane and the one out of it, 0 to 2.
struct AxisPair {
  int first = 0, second = 1, out = 2;
};

struct BarSquareness {
  double plus_mm = 0, minus_mm = 0;      // the bar's length by the scales
  double u_plus_mm = 0, u_minus_mm = 0;  // of both centres along it
  double squareness_rad = 0, u_rad = 0;  // as of StageModel
};

/// `plus`: along (1, 1) of the two axes, `minus` along (1, -1), within 5 degrees each, so that the scales' errors cancel.
/// A length l read along (dx, dy) is truly l (1 - s c), c = dx dy / l^2 (stage.h): s = (l+ - l-) / (l+ c+ - l- c-).
/// `u_touch_mm`: standard uncertainty of a touch; the fits' residuals where they are larger. Refuses, beside fit_sphere's
/// refusals (ball named): fewer than 5 touches of a ball, a bar in another direction, lengths that differ by more than 1 %.
BarSquareness squareness_of_bars(const BarTouches& plus, const BarTouches& minus, const AxisPair& axes,
                                 double u_touch_mm);

}  // namespace datum
