// Samples of a frame at places of the board: the board's x points right in a picture, its y up.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/pictures/page.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Mean place of the valid pixels in a block, sensor coordinates in mm.
using FrameSample = Eigen::Vector3d;

/// A rectangle of the board as pixels of a picture, (0, 0) the upper left one, and its place on a page.
struct BoardWindow {
  double left_mm = 0, bottom_mm = 0;  // outer edges
  double mm_per_px = 1;
  int width = 1, height = 1;
  PagePoint corner{};  // of the page: the upper left one

  PageBox box() const {
    return {corner.x, corner.y, static_cast<double>(width), static_cast<double>(height)};
  }
  Eigen::Vector2d board_mm(double x, double y) const {
    return {left_mm + x * mm_per_px, bottom_mm + (height - y) * mm_per_px};
  }
  /// Page coordinates.
  PagePoint at(const Eigen::Vector2d& mm) const {
    return {corner.x + (mm.x() - left_mm) / mm_per_px, corner.y + height - (mm.y() - bottom_mm) / mm_per_px};
  }
  /// Corners of a rectangle extended by `margin_mm` on all sides.
  std::vector<PagePoint> corners(const BoardRect& rect, double margin_mm = 0) const;
};

class PictureMap {
 public:
  /// Borrows the frame, which must be right-handed.
  PictureMap(const HeightFrame& frame, const Htm<Sensor, Board>& sensor_from_board);

  /// The whole frame, its pixels scaled by a whole factor, up or down, so that its longer side has at most max_px.
  BoardWindow whole(int max_px) const;

  /// The pixels seen at a place of the board's plane z = 0, of a block of block_mm; none without a height.
  std::optional<FrameSample> sample(const Eigen::Vector2d& board_mm, double block_mm) const;
  /// Height in um over the board's plane z = 0.
  double height_um(const FrameSample& sample) const;

 private:
  Eigen::Vector2d pixel_of(const Eigen::Vector2d& board_mm) const;  // column, row; pixel c covers c to c + 1

  const HeightFrame& frame_;
  Htm<Sensor, Board> sensor_from_board_;
  Htm<Board, Sensor> board_from_sensor_;
};

}  // namespace datum
