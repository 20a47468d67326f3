#include "daemon/design/design.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/design/text_decoding.h"

namespace datum::design {

namespace {
constexpr double radian = std::numbers::pi / 180;
}

const char* name_of(Side side) { return side == Side::top ? "top" : "bottom"; }

bool is_named_fiducial(const Component& c) {
  const std::string names = lower_case(c.reference + " " + c.package);
  return names.starts_with("fid") || names.find(" fid") != names.npos;
}

Point turned(const Point& p, double rotation_deg) {
  const double quarter = rotation_deg / 90;
  if (quarter == std::round(quarter)) {  // exact: most parts lie along the board
    switch (static_cast<int>(std::fmod(std::fmod(quarter, 4) + 4, 4))) {
      case 0:
        return p;
      case 1:
        return {-p.y(), p.x()};
      case 2:
        return -p;
      default:
        return {p.y(), -p.x()};
    }
  }
  const double c = std::cos(rotation_deg * radian), s = std::sin(rotation_deg * radian);
  return {c * p.x() - s * p.y(), s * p.x() + c * p.y()};
}

Box box_around(const Polygon& points, double rotation_deg) {
  Point low = turned(points.front(), -rotation_deg), high = low;
  for (const Point& p : points) {
    const Point own = turned(p, -rotation_deg);
    low = low.cwiseMin(own);
    high = high.cwiseMax(own);
  }
  return {turned((low + high) / 2, rotation_deg), high - low, rotation_deg};
}

Polygon corners_of(const Box& box, double margin_mm) {
  const Point half = box.size / 2 + Point::Constant(margin_mm);
  Polygon corners{-half, {half.x(), -half.y()}, half, {-half.x(), half.y()}};
  for (Point& p : corners) p = box.centre + turned(p, box.rotation_deg);
  return corners;
}

double area_of(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++)
    twice += polygon[j].x() * polygon[i].y() - polygon[i].x() * polygon[j].y();
  return twice / 2;
}

bool is_inside(const Polygon& polygon, const Point& p) {
  bool inside = false;
  for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Point &a = polygon[i], &b = polygon[j];
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < (b.x() - a.x()) * (p.y() - a.y()) / (b.y() - a.y()) + a.x())
      inside = !inside;
  }
  return inside;
}

Polygon arc_points(const Point& centre, const Point& from, double sweep_deg) {
  constexpr double most_mm = 0.005;
  const double radius = (from - centre).norm();
  // A chord over the angle t leaves its arc by r (1 - cos(t / 2)).
  const double step = radius > most_mm ? 2 * std::acos(1 - most_mm / radius) / radian : 90;
  const int n = std::clamp(static_cast<int>(std::ceil(std::abs(sweep_deg) / step)), 2, 720);
  Polygon points;
  for (int i = 1; i <= n; ++i) points.push_back(centre + turned(from - centre, sweep_deg * i / n));
  return points;
}

double normal_angle(double deg) {
  const double a = std::fmod(std::fmod(deg, 360) + 360, 360);
  return a >= 360 ? 0 : a;
}

}  // namespace datum::design
