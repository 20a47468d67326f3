// Bare board beside the knots: how far its pixels lie off the surface that was laid through the knots.
//
// The board is cut into tiles. A tile tells the median height over the surface of those of its pixels that lie on the board
// and on no component, exclusion or hole; a tile that shows too few of them tells nothing. Places in mm, board coordinates.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "calib/warp/thin_plate.h"
#include "daemon/inspection/board/site_map.h"

namespace datum {

/// What is looked at. Borrows all.
struct BareView {
  const Recipe& recipe;
  const HeightFrame& frame;
  const Htm<Board, Sensor>& board_from_sensor;
  const BoardView& view;
};

/// Of the pixels: standard deviation, and S of neighbours (Correlation::sum), by which their number counts less.
struct PixelNoise {
  double sigma_um = 0, correlation = 1;
};

/// A place and how far around it is looked.
using LookedAt = std::pair<Eigen::Vector2d, double>;

class BareBoard {
 public:
  BareBoard() = default;
  /// The result does not depend on the number of threads.
  BareBoard(const BareView& look, const ThinPlate& surface, const std::vector<LookedAt>& places,
            const PixelNoise& noise, unsigned threads);

  /// Of the tiles within reach_mm of a place the one that lies farthest off the surface beyond what noise explains; none
  /// where no tile there tells anything.
  std::optional<WarpOffEvidence> farthest(const Eigen::Vector2d& at_mm, double reach_mm) const;
  /// Of all tiles.
  std::optional<WarpOffEvidence> farthest() const;

 private:
  struct Scene;
  std::optional<double> off_um(const Scene& scene, const ThinPlate& surface, int col, int row,
                               const PixelNoise& noise) const;
  Eigen::Vector2d middle_mm(int col, int row) const {
    return side_mm_ * Eigen::Vector2d(col + 0.5, row + 0.5);
  }
  template <class Visit>
  void near(const Eigen::Vector2d& at_mm, double reach_mm, const Visit& visit) const;
  std::size_t index(int col, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) + static_cast<std::size_t>(col);
  }

  double side_mm_ = 1;
  int cols_ = 0, rows_ = 0;
  std::vector<double> off_um_;  // NaN: tells nothing
};

}  // namespace datum
