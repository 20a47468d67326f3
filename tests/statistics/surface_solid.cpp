#include "tests/statistics/surface_solid.h"

#include <fmt/format.h>

#include <cmath>

namespace datum::statistics {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

class Columns {
 public:
  Columns(const std::vector<double>& x, const std::vector<double>& y, double bottom,
          const ColumnHeight& height)
      : x_(x), y_(y), bottom_(bottom), height_(height) {
    const int nx = static_cast<int>(x.size()) - 1, ny = static_cast<int>(y.size()) - 1;
    for (int i = 0; i < nx; ++i)
      for (int k = 0; k < ny; ++k) {
        top(i, k);
        const Vector2d a = corner(i, k), b = corner(i + 1, k), c = corner(i + 1, k + 1), d = corner(i, k + 1);
        quad(at(a, bottom), at(d, bottom), at(c, bottom), at(b, bottom));
        if (i + 1 < nx) wall(b, c, {i, k}, {i + 1, k});
        if (k + 1 < ny) wall(c, d, {i, k}, {i, k + 1});
        if (i == 0) side(d, a, {i, k});
        if (i + 1 == nx) side(b, c, {i, k});
        if (k == 0) side(a, b, {i, k});
        if (k + 1 == ny) side(c, d, {i, k});
      }
  }
  std::vector<PartFacet> facets;

 private:
  using Cell = std::array<int, 2>;
  static Vector3d at(const Vector2d& p, double z) { return {p.x(), p.y(), z}; }
  Vector2d corner(int i, int k) const {
    return {x_[static_cast<std::size_t>(i)], y_[static_cast<std::size_t>(k)]};
  }
  double height(const Cell& c, const Vector2d& p) const {
    return height_((corner(c[0], c[1]) + corner(c[0] + 1, c[1] + 1)) / 2, p);
  }
  void quad(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
    facets.push_back({a, b, c});
    facets.push_back({a, c, d});
  }
  /// Divided along the rising diagonal.
  void top(int i, int k) {
    Vector3d p[4];
    const Vector2d q[4] = {corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)};
    for (int n = 0; n < 4; ++n) p[n] = at(q[n], height({i, k}, q[n]));
    if (std::abs(p[0].z() - p[2].z()) >= std::abs(p[1].z() - p[3].z())) {
      quad(p[0], p[1], p[2], p[3]);
    } else {
      quad(p[1], p[2], p[3], p[0]);
    }
  }
  /// Above p -> q, between the cell on its left and the one on its right.
  void wall(const Vector2d& p, const Vector2d& q, const Cell& left, const Cell& right) {
    const double zp = height(left, p), zq = height(left, q), yp = height(right, p), yq = height(right, q);
    if (zp == yp && zq == yq) return;
    if (zp + zq > yp + yq) {
      quad(at(p, yp), at(q, yq), at(q, zq), at(p, zp));
    } else {
      quad(at(q, zq), at(p, zp), at(p, yp), at(q, yq));
    }
  }
  void side(const Vector2d& p, const Vector2d& q, const Cell& cell) {
    quad(at(p, bottom_), at(q, bottom_), at(q, height(cell, q)), at(p, height(cell, p)));
  }

  const std::vector<double>&x_, &y_;
  double bottom_;
  const ColumnHeight& height_;
};

std::vector<double> lines(double from, double to, double step) {
  std::vector<double> at;
  const int n = static_cast<int>(std::lround((to - from) / step));
  for (int i = 0; i <= n; ++i) at.push_back(from + (to - from) * i / n);
  return at;
}

std::string upper_region(double limit_um, double min_coverage) {
  return fmt::format(
      "[[region]]\nname = \"top\"\nnormal = [0, 0, 1]\nmax_angle_deg = 60\nmin_coverage = {}\nmax_gap_mm = "
      "2\n"
      "[[region.check]]\ncharacteristic = \"profile\"\nupper_um = {}\n",
      min_coverage, limit_um);
}

Solid of_heights(const std::string& name, const Vector2d& size, double bottom, double top, double step,
                 const std::function<double(const Vector2d&)>& height) {
  Solid s;
  s.name = name;
  s.low_mm << -size / 2, bottom;
  s.high_mm << size / 2, top;
  s.view_mm = Vector2d::Zero();
  s.facets = [=](const Feature&) {
    return columns(lines(-size.x() / 2, size.x() / 2, step), lines(-size.y() / 2, size.y() / 2, step), bottom,
                   [&](const Vector2d&, const Vector2d& p) { return height(p); });
  };
  s.regions = [](double limit_um) { return upper_region(limit_um, 0.95); };
  return s;
}

/// 30 x 24 x 8 mm, on it a block of 6 x 6 x 3 mm.
Solid box() {
  Solid s;
  s.name = "box";
  s.low_mm << -15, -12, -8;
  s.high_mm << 15, 12, 3;
  s.has_feature = true;
  s.feature_mm << 4, -2;
  s.view_mm << 0, 0;
  s.facets = [middle = s.feature_mm](const Feature& f) {
    const Vector2d low = middle + f.shift_mm - Vector2d(3, 3), high = middle + f.shift_mm + Vector2d(3, 3);
    const auto axis = [](double half, double a, double b) {
      std::vector<double> at = lines(-half, a, 2), inner = lines(a, b, 1), rest = lines(b, half, 2);
      at.insert(at.end(), inner.begin() + 1, inner.end());
      at.insert(at.end(), rest.begin() + 1, rest.end());
      return at;
    };
    return columns(axis(15, low.x(), high.x()), axis(12, low.y(), high.y()), -8,
                   [&](const Vector2d& m, const Vector2d&) {
                     const bool in = (m.array() > low.array()).all() && (m.array() < high.array()).all();
                     return in && !f.is_missing ? 3.0 : 0.0;
                   });
  };
  s.regions = [](double limit_um) { return upper_region(limit_um, 0.9); };
  return s;
}

/// The virtual part's corner with boss, rib and two chamfers, aligned by its datums.
Solid demo() {
  Solid s;
  s.name = "demo";
  s.reach_mm = 2;  // a large part: its coverage takes most of the time
  s.low_mm << 0, 0, -8;
  s.high_mm << 96, 64, 6;
  s.has_feature = true;
  s.feature_mm = PartShape().boss.center_mm;
  s.view_mm << 24, 26;
  s.facets = [](const Feature& f) {
    PartShape shape;
    shape.boss.center_mm += f.shift_mm;
    if (f.is_missing) shape.boss.end_mm = 0;
    return part_facets(shape, {});
  };
  s.regions = [](double limit_um) {
    const auto region = [&](const char* name, const char* low, const char* high, const char* normal) {
      return fmt::format(
          "[[region]]\nname = \"{}\"\nlow_mm = {}\nhigh_mm = {}\nnormal = {}\nmax_angle_deg = "
          "5\nmin_coverage = "
          "0.05\nmax_gap_mm = 100\n[[region.check]]\ncharacteristic = \"profile\"\nupper_um = {}\n",
          name, low, high, normal, limit_um);
    };
    return "[alignment]\ndatums = [\"top\", \"front\", \"left\"]\nsearch_mm = 1.5\n" +
           region("top", "[3, 3, 0]", "[93, 61, 0]", "[0, 0, 1]") +
           region("boss", "[15, 13, 4]", "[33, 31, 4]", "[0, 0, 1]") +
           region("front", "[0, 0, -3]", "[96, 3, 0]", "[0, -1, 1]") +
           region("left", "[0, 0, -3]", "[3, 64, 0]", "[-1, 0, 1]");
  };
  return s;
}

}  // namespace

std::vector<PartFacet> columns(const std::vector<double>& x_mm, const std::vector<double>& y_mm,
                               double bottom_mm, const ColumnHeight& height_mm) {
  return Columns(x_mm, y_mm, bottom_mm, height_mm).facets;
}

const std::vector<Solid>& solids() {
  static const std::vector<Solid> all{
      of_heights("sheet", {32, 26}, -1, 0, 2, [](const Vector2d&) { return 0.0; }), box(), demo(),
      // pyramids of 2 mm with faces at 45 degrees
      of_heights("knurl", {24, 20}, -4, 1, 1,
                 [](const Vector2d& p) {
                   const auto is_odd = [](double v) { return std::lround(v) % 2 != 0; };
                   return is_odd(p.x()) && is_odd(p.y()) ? 1.0 : 0.0;
                 }),
      of_heights("freeform", {30, 26}, -5, 1, 0.5,
                 [](const Vector2d& p) { return std::sin(p.x() / 4) * std::cos(p.y() / 5); })};
  return all;
}

}  // namespace datum::statistics
