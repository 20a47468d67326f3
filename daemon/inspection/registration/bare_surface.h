// What the height map shows at places of the bare board: the board, nothing at its level, or something on it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/inspection/board/site_map.h"

namespace datum {

/// Frame and its view over one board. Borrowed.
struct SurfaceScene {
  const HeightFrame& frame;
  const BoardView& view;
  double pixel_mm() const { return std::max(view.per_col().norm(), view.per_row().norm()); }
};

/// Height of the bare board around a place over its nominal plane, and how far its pixels may be from it, in mm.
struct BareLevel {
  double mm = 0, within_mm = 0;
};

/// The middle of the fullest window of 0.12 mm of these heights; the board's pixels are within 0.12 mm of it (copper, mask, legend). None:
/// it has fewer than 30 % of the `asked` places.
std::optional<BareLevel> bare_level(std::vector<double> heights_mm, std::size_t asked);

enum class Shows : std::uint8_t {
  board,   // within the level
  open,    // below it, or without a height
  raised,  // above it
  outside  // beyond the frame
};

/// Height over the nominal board of the pixel nearest to (column, row), in mm; none: no height, or beyond the frame.
std::optional<double> height_at(const SurfaceScene& scene, const Eigen::Vector2d& px);
Shows shown_at(const SurfaceScene& scene, const Eigen::Vector2d& px, const BareLevel& level);

/// Along one profile, samples inwards first: the place that best parts `before` from `behind`; a sample of the board counts twice, since
/// pixels of it may be missing, and samples that show neither tell nothing. From
/// `from_mm` on in steps of `step_mm`. None: fewer than 60 % of the samples are one of both, either has fewer than two, or less than
/// 70 % of them are on their side of the place.
std::optional<double> parting_place(const std::vector<Shows>& samples, Shows before, Shows behind,
                                    double from_mm, double step_mm);

}  // namespace datum
