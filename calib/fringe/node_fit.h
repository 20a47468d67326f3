// One node's heights over columns: the least squares of phase_fit.h.
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

/// `points` ascend in z, their columns rise or fall all the way; there are more of them than unknowns. t is -1 and 1 where
/// the lowest and the highest column lie, and `spare_px` beyond them. Throws CalibrationError where the equations tell no
/// model (singular, or bend so strong that the denominator vanishes within the range).
NodeFit fit_node(std::span<const NodePoint> points, int degree, bool bend, double spare_px,
                 const Backend& backend);

}  // namespace datum
