// The projector's column at a node, from the pixels around it.
#pragma once

#include <optional>

#include "calib/fringe/phase_fit.h"

namespace datum {

struct NodeColumn {
  double u_px = 0, sigma_px = 0;  // standard deviation by the scatter about the plane
};

/// The plane through the columns of the pixels at most cell_px from the node (from the image's edge, where the node lies
/// beyond it), taken at the node. None: fewer than half of them, or of 3 x 3, are good.
std::optional<NodeColumn> column_at(const FlatStep& step, const PhaseFitSettings& settings,
                                    std::uint32_t node_row, std::uint32_t node_column);

}  // namespace datum
