#include "daemon/pictures/picture_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace datum {

PictureMap::PictureMap(const HeightFrame& frame, const Htm<Sensor, Board>& sensor_from_board, int max_px)
    : frame_(frame), sensor_from_board_(sensor_from_board) {
  board_z_ = sensor_from_board.inverse().matrix().row(2);
  const int longer = std::max(frame.rows, frame.cols);
  shrink_ = (longer + max_px - 1) / max_px;
  grow_ = std::max(1, max_px / 2 / longer);
  wide_ = (frame.cols + shrink_ - 1) / shrink_ * grow_;
  high_ = (frame.rows + shrink_ - 1) / shrink_ * grow_;
  const Eigen::Vector3d x = sensor_from_board.rotation().col(0);
  if (std::abs(x.x()) >= std::abs(x.y())) {
    turn_ = x.x() >= 0 ? 0 : 2;
  } else {
    turn_ = x.y() >= 0 ? 1 : 3;
  }
}

PixelPoint PictureMap::turn(double c, double r) const {
  switch (turn_) {
    case 0:  // board x = sensor x, board y = sensor y: up is opposite to the rows
      return {c, high_ - 1 - r};
    case 1:  // board x = sensor y, board y = -x
      return {r, c};
    case 2:
      return {wide_ - 1 - c, r};
    default:
      return {high_ - 1 - r, wide_ - 1 - c};
  }
}

PixelPoint PictureMap::of_board(const Eigen::Vector2d& board_mm) const {
  const Eigen::Vector3d p = sensor_from_board_ * Eigen::Vector3d(board_mm.x(), board_mm.y(), 0);
  const double scale = static_cast<double>(grow_) / shrink_;
  // A pixel index is its centre: the first block's centre is (shrink - 1) / 2 pixels after the first pixel's.
  const auto along = [&](double mm, const AxisScale& s) {
    return ((mm - s.offset_mm) / s.scale_mm + 0.5) * scale - 0.5;
  };
  return turn(along(p.x(), frame_.x), along(p.y(), frame_.y));
}

std::array<PixelPoint, 4> PictureMap::corners(const BoardRect& rect, double margin_mm) const {
  const double angle = rect.rotation_deg * std::numbers::pi / 180;
  const Eigen::Vector2d ex(std::cos(angle), std::sin(angle)), ey(-ex.y(), ex.x());
  const Eigen::Vector2d half = rect.size_mm / 2 + Eigen::Vector2d::Constant(margin_mm);
  const auto corner = [&](double sx, double sy) {
    return of_board(rect.centre_mm + sx * half.x() * ex + sy * half.y() * ey);
  };
  return {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)};
}

float PictureMap::block_um(int block_col, int block_row) const {
  double sum = 0;
  int n = 0;
  for (int row = block_row * shrink_; row < std::min(frame_.rows, (block_row + 1) * shrink_); ++row) {
    for (int col = block_col * shrink_; col < std::min(frame_.cols, (block_col + 1) * shrink_); ++col) {
      if (frame_.class_at(row, col) != PixelClass::ok) continue;
      sum += board_z_ * Eigen::Vector4d(frame_.x.at(col), frame_.y.at(row), frame_.z_mm(row, col), 1);
      ++n;
    }
  }
  return n == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(1e3 * sum / n);
}

HeightImage PictureMap::heights() const {
  HeightImage image{width(), height(), {}};
  image.um.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (int block_row = 0; block_row < high_ / grow_; ++block_row) {
    for (int block_col = 0; block_col < wide_ / grow_; ++block_col) {
      const float um = block_um(block_col, block_row);
      for (int r = block_row * grow_; r < (block_row + 1) * grow_; ++r) {
        for (int c = block_col * grow_; c < (block_col + 1) * grow_; ++c) {
          const PixelPoint at = turn(c, r);
          image.um[static_cast<std::size_t>(at.y) * static_cast<std::size_t>(image.width) +
                   static_cast<std::size_t>(at.x)] = um;
        }
      }
    }
  }
  return image;
}

}  // namespace datum
