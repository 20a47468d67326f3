// How a frame lies in its picture: turned by quarters so that the board's x runs right and its y up, shrunk
// by block means.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/pictures/canvas.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Heights as drawn: row-major, um over the board's plane z = 0; NaN: no pixel of the block has a height.
struct HeightImage {
  int width = 0, height = 0;
  std::vector<float> um;
};

class PictureMap {
 public:
  /// The longer side becomes at most max_px: frames are shrunk by a whole factor, small ones enlarged by one.
  /// Borrows the frame, which is right-handed.
  PictureMap(const HeightFrame& frame, const Htm<Sensor, Board>& sensor_from_board, int max_px);

  int width() const { return turned() ? high_ : wide_; }
  int height() const { return turned() ? wide_ : high_; }
  double mm_per_px() const { return frame_.x.scale_mm * shrink_ / grow_; }

  /// Where a point of the board's plane z = 0 lies in the picture.
  PixelPoint of_board(const Eigen::Vector2d& board_mm) const;
  /// The corners of a rectangle grown by `margin_mm` on all sides.
  std::array<PixelPoint, 4> corners(const BoardRect& rect, double margin_mm) const;

  HeightImage heights() const;

 private:
  bool turned() const { return turn_ % 2 == 1; }
  /// From coordinates along the sensor's columns and rows, in picture pixels, to the picture's.
  PixelPoint turn(double along_cols, double along_rows) const;
  /// Mean height over one block of pixels.
  float block_um(int block_col, int block_row) const;

  const HeightFrame& frame_;
  Htm<Sensor, Board> sensor_from_board_;
  Eigen::RowVector4d board_z_;  // z in board coordinates of a homogeneous sensor point
  int shrink_ = 1, grow_ = 1;
  int turn_ = 0;             // quarters by which the sensor's x is turned from the board's x
  int wide_ = 0, high_ = 0;  // picture pixels along the sensor's columns and rows
};

}  // namespace datum
