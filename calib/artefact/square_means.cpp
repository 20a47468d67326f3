#include "calib/artefact/square_means.h"

#include <algorithm>
#include <cmath>

namespace datum {

std::vector<SquareMean> square_means(Points points, const Plane3& plane, double edge_mm, std::size_t least) {
  const Eigen::Matrix<double, 3, 2> t = tangents(plane.normal) / edge_mm;
  Eigen::Vector2d low(1e300, 1e300), high(-1e300, -1e300);
  for (const Eigen::Vector3d& p : points) {
    const Eigen::Vector2d at = t.transpose() * (p - plane.point_mm);
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
  }
  // Borders at multiples of the edge. A face has a few hundred squares, sparse points a few thousand.
  low = low.array().floor();
  const Eigen::Vector2d size = high - low;
  if (!(size.x() * size.y() < 1e7)) return {};
  const auto cols = static_cast<std::size_t>(size.x()) + 1, rows = static_cast<std::size_t>(size.y()) + 1;
  std::vector<SquareMean> squares(cols * rows);
  for (const Eigen::Vector3d& p : points) {
    const Eigen::Vector3d d = p - plane.point_mm;
    const Eigen::Vector2d at = t.transpose() * d - low;
    SquareMean& square = squares[static_cast<std::size_t>(at.y()) * cols + static_cast<std::size_t>(at.x())];
    square.mean_mm += plane.normal.dot(d);
    ++square.points;
  }
  squares.erase(
      std::remove_if(squares.begin(), squares.end(),
                     [&](const SquareMean& s) { return s.points < std::max<std::size_t>(1, least); }),
      squares.end());
  for (SquareMean& square : squares) square.mean_mm /= static_cast<double>(square.points);
  return squares;
}

double flatness_mm(Points points, const Fit<Plane3, 3>& fit, double area_mm2) {
  const double edge = 16 * std::sqrt(area_mm2 / static_cast<double>(points.size()));
  double low = 0, high = 0;
  for (const SquareMean& square : square_means(points, fit.feature, edge, 128)) {
    low = std::min(low, square.mean_mm);
    high = std::max(high, square.mean_mm);
  }
  return std::max(0.0, high - low - 6 * fit.evidence.sigma_mm / 16);
}

}  // namespace datum
