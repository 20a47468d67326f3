// Map from a frame to its picture: rotation by quarter turns so that the board's x points right and its y up, and
// reduction by block means.
#pragma once

#include <vector>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/pictures/canvas.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Row-major heights in um above the board's plane z = 0; NaN: no pixel of the block has a height.
struct HeightImage {
  int width = 0, height = 0;
  std::vector<float> um;
};

class PictureMap {
 public:
  /// Scales by a whole factor, up or down, so that the longer side has at most max_px. Borrows the frame, which must be
  /// right-handed.
  PictureMap(const HeightFrame& frame, const Htm<Sensor, Board>& sensor_from_board, int max_px);

  int width() const { return turned() ? high_ : wide_; }
  int height() const { return turned() ? wide_ : high_; }
  double mm_per_px() const { return frame_.x.scale_mm * shrink_ / grow_; }

  /// Pixel of a point on the board's plane z = 0.
  PixelPoint of_board(const Eigen::Vector2d& board_mm) const;
  /// Corners of a rectangle extended by `margin_mm` on all sides.
  std::array<PixelPoint, 4> corners(const BoardRect& rect, double margin_mm) const;

  HeightImage heights() const;

 private:
  bool turned() const { return turn_ % 2 == 1; }
  /// From pixels along the sensor's columns and rows to pixels of the picture.
  PixelPoint turn(double along_cols, double along_rows) const;
  /// Mean height in um of one block of pixels.
  float block_um(int block_col, int block_row) const;

  const HeightFrame& frame_;
  Htm<Sensor, Board> sensor_from_board_;
  Eigen::RowVector4d board_z_;  // maps a homogeneous sensor point to its z in board coordinates
  int shrink_ = 1, grow_ = 1;
  int turn_ = 0;             // quarter turns from the board's x to the sensor's x
  int wide_ = 0, high_ = 0;  // pixels along the sensor's columns and rows
};

}  // namespace datum
