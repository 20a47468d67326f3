// The projector's column at a node, from the pixels around it.
#pragma once

#include <optional>

#include "calib/fringe/phase_fit.h"

namespace datum {

struct NodeColumn {
  double u_px = 0, sigma_px = 0;  // standard deviation by the scatter about the surface
};

/// The surface of second degree through the columns of the pixels at most cell_px from the node (from the image's edge,
/// where the node lies beyond it), taken at the node so that interpolation between nodes is right on the average. None:
/// fewer than half of the pixels are good, or than 3 x 3.
std::optional<NodeColumn> column_at(const FlatStep& step, const PhaseFitSettings& settings,
                                    std::uint32_t node_row, std::uint32_t node_column,
                                    const Backend& backend);

}  // namespace datum
