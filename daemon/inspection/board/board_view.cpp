#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include "daemon/inspection/board/site_map.h"

namespace datum {

BoardView::BoardView(const HeightFrame& frame, const Htm<Board, Sensor>& board_from_sensor)
    : rows_(frame.rows), cols_(frame.cols) {
  const Eigen::Matrix3d r = board_from_sensor.rotation();
  const Eigen::Vector3d t = board_from_sensor.translation_mm();
  const double cosine = r(2, 2);
  // 1e-3 (89.9 degrees) keeps the division well-conditioned; the recipe's limit of the tilt is far below.
  if (!(cosine > 1e-3)) {
    throw std::domain_error(
        "the sensor sees the board from below or on edge: its z must point from the board towards the "
        "sensor; check "
        "the calibration and the board's placement in the recipe");
  }
  tilt_deg_ = std::acos(std::min(1.0, cosine)) * 180 / M_PI;
  // On the plane board_z = h: z = (h - t2 - r20 x - r21 y) / r22, so board_xy is affine in x, y and h.
  const Eigen::Vector2d along_z = r.block<2, 1>(0, 2) / cosine;
  const Eigen::Matrix2d linear = r.block<2, 2>(0, 0) - along_z * r.block<1, 2>(2, 0);
  const Eigen::Vector2d constant = t.head<2>() - along_z * t.z();
  shift_per_mm_ = along_z;
  origin_ = linear * Eigen::Vector2d(frame.x.offset_mm, frame.y.offset_mm) + constant;
  per_col_ = linear.col(0) * frame.x.scale_mm;
  per_row_ = linear.col(1) * frame.y.scale_mm;
  Eigen::Matrix2d board_from_pixel;
  board_from_pixel << per_col_, per_row_;
  pixel_from_board_ = board_from_pixel.inverse();
  const Htm<Sensor, Board> sensor_from_board = board_from_sensor.inverse();
  const Eigen::Matrix3d back = sensor_from_board.rotation();
  sensor_z_ << back(2, 0), back(2, 1), sensor_from_board.translation_mm().z();
}

double BoardView::sensor_z_mm(const Eigen::Vector2d& board_mm) const {
  return sensor_z_.x() * board_mm.x() + sensor_z_.y() * board_mm.y() + sensor_z_.z();
}

}  // namespace datum
