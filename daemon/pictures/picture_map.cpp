#include "daemon/pictures/picture_map.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum {

std::vector<PagePoint> BoardWindow::corners(const BoardRect& rect, double margin_mm) const {
  BoardRect grown = rect;
  grown.size_mm += Eigen::Vector2d::Constant(2 * margin_mm);
  std::vector<PagePoint> points;
  for (const Eigen::Vector2d& corner : corners_mm(grown)) points.push_back(at(corner));
  return points;
}

PictureMap::PictureMap(const HeightFrame& frame, const Htm<Sensor, Board>& sensor_from_board)
    : frame_(frame), sensor_from_board_(sensor_from_board), board_from_sensor_(sensor_from_board.inverse()) {}

Eigen::Vector2d PictureMap::pixel_of(const Eigen::Vector2d& board_mm) const {
  const Eigen::Vector3d p = sensor_from_board_ * Eigen::Vector3d(board_mm.x(), board_mm.y(), 0);
  const auto along = [](double mm, const AxisScale& s) { return (mm - s.offset_mm) / s.scale_mm + 0.5; };
  return {along(p.x(), frame_.x), along(p.y(), frame_.y)};
}

BoardWindow PictureMap::whole(int max_px) const {
  const int longer = std::max(frame_.rows, frame_.cols);
  const int shrink = (longer + max_px - 1) / max_px, grow = std::max(1, max_px / 2 / longer);
  // sensor x, y of a place on the board's plane: linear in the board's x, y
  const Eigen::Matrix2d turn = sensor_from_board_.rotation().topLeftCorner<2, 2>();
  const Eigen::Vector2d origin = sensor_from_board_.translation_mm().head<2>();
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e300), high = -low;
  for (const double col : {-0.5, frame_.cols - 0.5})
    for (const double row : {-0.5, frame_.rows - 0.5}) {
      const Eigen::Vector2d corner =
          turn.inverse() * (Eigen::Vector2d(frame_.x.at(col), frame_.y.at(row)) - origin);
      low = low.cwiseMin(corner);
      high = high.cwiseMax(corner);
    }
  BoardWindow w{low.x(), low.y(), frame_.x.scale_mm * shrink / grow, 1, 1};
  const auto px = [&](double mm) {
    return static_cast<int>(std::clamp(std::ceil(mm / w.mm_per_px - 1e-6), 1.0, 8192.0));
  };
  w.width = px(high.x() - low.x());
  w.height = px(high.y() - low.y());
  return w;
}

std::optional<FrameSample> PictureMap::sample(const Eigen::Vector2d& board_mm, double block_mm) const {
  const Eigen::Vector2d at = pixel_of(board_mm);
  if (!(at.x() >= 0 && at.y() >= 0 && at.x() < frame_.cols && at.y() < frame_.rows)) return std::nullopt;
  const int side = std::max(1, static_cast<int>(std::lround(block_mm / frame_.x.scale_mm)));
  const auto first = [&](double middle) { return static_cast<int>(std::floor(middle - side / 2.0 + 0.5)); };
  FrameSample sum = FrameSample::Zero();
  int n = 0;
  const int row0 = first(at.y()), col0 = first(at.x());
  for (int row = std::max(0, row0); row < std::min(frame_.rows, row0 + side); ++row)
    for (int col = std::max(0, col0); col < std::min(frame_.cols, col0 + side); ++col) {
      if (frame_.class_at(row, col) != PixelClass::ok) continue;
      sum += FrameSample(frame_.x.at(col), frame_.y.at(row), frame_.z_mm(row, col));
      ++n;
    }
  if (n == 0) return std::nullopt;
  return sum / n;
}

double PictureMap::height_um(const FrameSample& sample) const {
  return 1e3 * (board_from_sensor_ * Eigen::Vector3d(sample)).z();
}

}  // namespace datum
