// Pixels of each component and its floor ring: recipe and placement of the board are converted to runs of
// pixels.
//
// A sensor ray has fixed x and y and is parallel to the sensor's z. Its intersection with the nominal board
// plane is an affine function of the pixel, so rectangles of the board are parallelograms of the pixel grid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"
#include "gpu/core/pixel_run.h"

namespace datum {

/// The pixel grid of a frame over the nominal board.
class BoardView {
 public:
  /// Throws std::domain_error with a text for the operator: the board is seen from below or edge-on.
  BoardView(const HeightFrame& frame, const Htm<Board, Sensor>& board_from_sensor);

  /// Pixel (column, row) of a board point `height_mm` above the nominal board plane.
  Eigen::Vector2d pixel_of(const Eigen::Vector2d& board_mm, double height_mm) const {
    return pixel_from_board_ * (board_mm - origin_ - height_mm * shift_per_mm_);
  }
  /// Sensor z in mm of the nominal board plane at a board point.
  double sensor_z_mm(const Eigen::Vector2d& board_mm) const;
  /// Angle between the sensor's z and the board's normal.
  double tilt_deg() const { return tilt_deg_; }
  /// Board coordinates = origin + col * per_col + row * per_row, on the nominal board plane.
  const Eigen::Vector2d& origin() const { return origin_; }
  const Eigen::Vector2d& per_col() const { return per_col_; }
  const Eigen::Vector2d& per_row() const { return per_row_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }

 private:
  int rows_, cols_;
  Eigen::Vector2d origin_, per_col_, per_row_;
  Eigen::Matrix2d pixel_from_board_;
  Eigen::Vector2d shift_per_mm_;  // of board coordinates, for a point 1 mm above the board
  Eigen::Vector3d sensor_z_;      // of (board x, board y, 1)
  double tilt_deg_ = 0;
};

/// Sides of a ring in its outline's own axes: -x, +x, -y, +y.
inline constexpr int ring_sides = 4;

/// Pixels of one component.
struct Site {
  Reason reason = Reason::none;  // out_of_view
  std::string detail;
  std::vector<PixelRun> ring;           // by rows, then columns
  std::vector<std::uint8_t> ring_side;  // of each run
  std::vector<PixelRun> body;           // top region: outline at nominal height, eroded
  std::uint32_t ring_pixels = 0, body_pixels = 0;
  // Centre of the ring's outline, the origin of floor coordinates: column and row, sensor mm, and height of
  // the nominal board.
  Eigen::Vector2d centre_px = Eigen::Vector2d::Zero();
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double reference_z_mm = 0;
  /// Bounds of |x|, |y| of the ring's pixels about the centre.
  Eigen::Vector2d half_mm = Eigen::Vector2d::Zero();
  /// Centre of the body region relative to the ring's centre.
  Eigen::Vector2d body_mm = Eigen::Vector2d::Zero();
};

/// The site of component `index`, or of a patch of bare board (site_component in daemon/inspection/board/warp_recipe.h).
Site site_of(const Recipe& recipe, std::size_t index, const HeightFrame& frame, const BoardView& view);

}  // namespace datum
