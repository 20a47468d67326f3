#include "daemon/inspection/registration/fiducial_shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/inspection/registration/plane_motion.h"

namespace datum {
namespace {

constexpr int least_points = 16, most_points = 512;  // of one circle

void add_circle(double diameter_mm, bool outer, double inwards_mm, double outwards_mm, double apart_mm,
                std::vector<OutlinePoint>& points) {
  const int n = std::clamp(int(std::numbers::pi * diameter_mm / apart_mm), least_points, most_points);
  for (int k = 0; k < n; ++k) {
    const Eigen::Vector2d way = rotation_by_deg(360.0 * k / n).col(0);
    points.push_back({way * (diameter_mm / 2), outer ? way : Eigen::Vector2d(-way), inwards_mm, outwards_mm,
                      outer ? 0 : 1});
  }
}

void add_arm(const Fiducial& mark, const Eigen::Matrix2d& axes, double apart_mm,
             std::vector<OutlinePoint>& points) {
  const double half = mark.size_mm / 2, side = mark.line_mm / 2;
  const Eigen::Vector2d along = axes.col(0), across = axes.col(1);
  for (double at = side + apart_mm; at <= half - apart_mm; at += apart_mm)
    for (const double to : {-1.0, 1.0})
      points.push_back(
          {at * along + to * side * across, to * across, side, std::min(mark.clear_mm, at - side), 0});
  for (double at = -side + apart_mm / 2; at <= side - apart_mm / 2; at += apart_mm)
    points.push_back({half * along + at * across, along, half, mark.clear_mm, 0});
}

double box_distance_mm(const Eigen::Vector2d& at, double half_x, double half_y) {
  const double x = std::abs(at.x()) - half_x, y = std::abs(at.y()) - half_y;
  return x > 0 && y > 0 ? std::hypot(x, y) : std::max(x, y);
}

}  // namespace

std::vector<OutlinePoint> outline_of(const Fiducial& mark, double apart_mm) {
  std::vector<OutlinePoint> points;
  const double radius = mark.size_mm / 2, hole = mark.inner_mm / 2;
  switch (mark.shape) {
    case FiducialShape::circle:
      add_circle(mark.size_mm, true, radius, mark.clear_mm, apart_mm, points);
      break;
    case FiducialShape::ring:
      add_circle(mark.size_mm, true, radius - hole, mark.clear_mm, apart_mm, points);
      add_circle(mark.inner_mm, false, radius - hole, hole, apart_mm, points);
      break;
    case FiducialShape::cross:
      for (int quarter = 0; quarter < 4; ++quarter)
        add_arm(mark, rotation_by_deg(mark.rotation_deg + 90 * quarter), apart_mm, points);
      break;
  }
  return points;
}

int edges_of(const Fiducial& mark) { return mark.shape == FiducialShape::ring ? 2 : 1; }

double distance_mm(const Fiducial& mark, const Eigen::Vector2d& from_centre_mm) {
  const double r = from_centre_mm.norm();
  switch (mark.shape) {
    case FiducialShape::circle:
      return r - mark.size_mm / 2;
    case FiducialShape::ring:
      return std::max(r - mark.size_mm / 2, mark.inner_mm / 2 - r);
    case FiducialShape::cross: {
      const Eigen::Vector2d at = rotation_by_deg(mark.rotation_deg).transpose() * from_centre_mm;
      return std::min(box_distance_mm(at, mark.size_mm / 2, mark.line_mm / 2),
                      box_distance_mm(at, mark.line_mm / 2, mark.size_mm / 2));
    }
  }
  return r;
}

double finest_mm(const Fiducial& mark) {
  switch (mark.shape) {
    case FiducialShape::circle:
      return mark.size_mm;
    case FiducialShape::ring:
      return std::min((mark.size_mm - mark.inner_mm) / 2, mark.inner_mm);
    case FiducialShape::cross:
      return mark.line_mm;
  }
  return 0;
}

}  // namespace datum
