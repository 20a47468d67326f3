// The projector's column at a node, from the surrounding pixels.
#pragma once

#include <optional>

#include "calib/fringe/phase_fit.h"

namespace datum {

struct NodeColumn {
  double u_px = 0, sigma_px = 0;  // standard deviation from the residuals of the surface
};

/// Value at the node of a quadratic surface through the columns of the pixels at most cell_px away (from the
/// image's edge, where the node lies beyond it). Evaluating the surface makes interpolation between nodes
/// unbiased on average. None where fewer than half of the pixels, or fewer than 3 x 3, are valid.
std::optional<NodeColumn> column_at(const FlatStep& step, const PhaseFitSettings& settings,
                                    std::uint32_t node_row, std::uint32_t node_column,
                                    const Backend& backend);

}  // namespace datum
