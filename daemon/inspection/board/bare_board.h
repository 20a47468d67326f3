// Bare board beside the knots: deviation of its pixels from the surface through the knots.
//
// The board is divided into tiles. A tile's value is the median height over the surface of its pixels outside
// components, exclusions and holes; a tile with too few such pixels has none. Places in mm, board
// coordinates.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "calib/warp/thin_plate.h"
#include "daemon/inspection/board/site_map.h"

namespace datum {

/// Inputs, all borrowed.
struct BareView {
  const Recipe& recipe;
  const HeightFrame& frame;
  const Htm<Board, Sensor>& board_from_sensor;
  const BoardView& view;
};

/// Standard deviation of a pixel, and S of neighbours (Correlation::sum), by which n is divided.
struct PixelNoise {
  double sigma_um = 0, correlation = 1;
};

/// A place and the radius checked around it.
using LookedAt = std::pair<Eigen::Vector2d, double>;

class BareBoard {
 public:
  BareBoard() = default;
  /// The result does not depend on the number of threads.
  BareBoard(const BareView& look, const ThinPlate& surface, const std::vector<LookedAt>& places,
            const PixelNoise& noise, unsigned threads);

  /// Adds another frame of the same board: where both have a value, the larger deviation counts.
  void add(const BareBoard& other);
  /// The tile within reach_mm of a place with the largest deviation beyond noise; none where no tile there
  /// has a value.
  std::optional<WarpOffEvidence> farthest(const Eigen::Vector2d& at_mm, double reach_mm) const;
  /// The same over all tiles.
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
  std::vector<double> off_um_;  // NaN: no value
};

}  // namespace datum
