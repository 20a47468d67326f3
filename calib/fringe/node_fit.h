// Fit of one node's heights over columns: the least squares of phase_fit.h.
#pragma once

#include <array>
#include <span>

#include "calib/fringe/phase_fit.h"

namespace datum {

struct NodePoint {
  double z_um = 0, u_px = 0, sigma_px = 0;
};

struct NodeFit {
  HeightNode node;
  double u_um = 0;  // the largest within -1 <= t <= 1
  double condition = 0, backward_error = 0;
};

/// `points` ascend in z, their columns are strictly monotonic, and they outnumber the unknowns. t = -1 and 1
/// lie `spare_px` beyond the lowest and the highest column. Throws CalibrationError where the equations are
/// singular, or the bend is so strong that the denominator vanishes within the range.
NodeFit fit_node(std::span<const NodePoint> points, int degree, bool bend, double spare_px,
                 const Backend& backend);

}  // namespace datum
