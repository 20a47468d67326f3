#include "calib/hybrid/hole_edges.h"

#include <array>
#include <cmath>

namespace datum {

namespace {

enum class Pixel : std::uint8_t { surface, slope, missing, other };

constexpr std::array<std::array<int, 2>, 4> sides{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};

struct Labelled {
  const HeightFrame& frame;
  PixelWindow window;
  std::vector<Pixel> pixels;

  bool inside(int row, int col) const {
    return row >= 0 && row < window.rows() && col >= 0 && col < window.cols();
  }
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(window.cols()) +
           static_cast<std::size_t>(col);
  }
};

/// Marks the pixels below the surface that a slope reaches in steps of less than step_mm.
void walk_slopes(Labelled& l, const std::vector<double>& below_mm, double step_mm) {
  std::vector<std::array<int, 2>> open;
  for (int row = 0; row < l.window.rows(); ++row)
    for (int col = 0; col < l.window.cols(); ++col)
      if (l.pixels[l.index(row, col)] == Pixel::surface) open.push_back({row, col});
  while (!open.empty()) {
    const auto [row, col] = open.back();
    open.pop_back();
    const double from = below_mm[l.index(row, col)];
    for (const auto& [dr, dc] : sides) {
      if (!l.inside(row + dr, col + dc)) continue;
      const std::size_t to = l.index(row + dr, col + dc);
      const bool down = l.pixels[to] == Pixel::missing || l.pixels[to] == Pixel::other;
      if (!down || !(below_mm[to] > 0) || !(std::abs(below_mm[to] - from) < step_mm)) continue;
      l.pixels[to] = Pixel::slope;
      open.push_back({row + dr, col + dc});
    }
  }
}

Labelled labelled(const HeightFrame& frame, const PixelWindow& w, const Plane3& surface, double surface_mm,
                  double edge_depth_mm) {
  Labelled l{frame, w, {}};
  std::vector<double> below_mm;  // NaN without a height
  for (int row = w.first_row; row <= w.last_row; ++row) {
    for (int col = w.first_col; col <= w.last_col; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) {
        l.pixels.push_back(Pixel::missing);
        below_mm.push_back(std::nan(""));
        continue;
      }
      const Eigen::Vector3d p(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
      const double d = surface.normal.dot(p - surface.point_mm);
      below_mm.push_back(-d);
      l.pixels.push_back(d < -edge_depth_mm          ? Pixel::missing
                         : std::abs(d) <= surface_mm ? Pixel::surface
                                                     : Pixel::other);
    }
  }
  walk_slopes(l, below_mm, edge_depth_mm);
  return l;
}

/// Half-way from a pixel to its neighbour (dr, dc), at the neighbour's height, projected onto the surface.
Eigen::Vector3d edge_of(const Labelled& l, const Plane3& s, int row, int col, int dr, int dc) {
  const HeightFrame& f = l.frame;
  const int at_row = l.window.first_row + row, at_col = l.window.first_col + col;
  const double x = f.x.at(at_col + dc / 2.0), y = f.y.at(at_row + dr / 2.0);
  const Eigen::Vector3d& c = s.point_mm;
  if (l.pixels[l.index(row + dr, col + dc)] == Pixel::surface)
    return {x, y, c.z() - (s.normal.x() * (x - c.x()) + s.normal.y() * (y - c.y())) / s.normal.z()};
  const Eigen::Vector3d p(x, y, f.z_mm(at_row + dr, at_col + dc));
  return p - s.normal.dot(p - c) * s.normal;
}

void add_slope_edges(const Labelled& l, const Plane3& surface, int row, int col,
                     std::vector<Eigen::Vector3d>& edges) {
  for (const auto& [dr, dc] : sides)
    if (l.inside(row + dr, col + dc) && l.pixels[l.index(row + dr, col + dc)] == Pixel::surface)
      edges.push_back(edge_of(l, surface, row, col, dr, dc));
}

/// The patch that contains a missing pixel.
MissingPatch patch_from(const Labelled& l, const Plane3& surface, int row, int col, std::vector<bool>& seen) {
  MissingPatch patch;
  std::vector<std::array<int, 2>> open{{row, col}};
  seen[l.index(row, col)] = true;
  while (!open.empty()) {
    const auto [r, c] = open.back();
    open.pop_back();
    ++patch.pixels;
    for (const auto& [dr, dc] : sides) {
      if (!l.inside(r + dr, c + dc)) {
        patch.at_border = true;
        continue;
      }
      const std::size_t next = l.index(r + dr, c + dc);
      if (l.pixels[next] == Pixel::surface || l.pixels[next] == Pixel::slope) {
        patch.edge_mm.push_back(edge_of(l, surface, r, c, dr, dc));
        patch.slope_edges += l.pixels[next] == Pixel::slope;
      } else if (l.pixels[next] == Pixel::missing && !seen[next]) {
        seen[next] = true;
        open.push_back({r + dr, c + dc});
      }
    }
  }
  return patch;
}

}  // namespace

std::vector<Eigen::Vector3d> points_of(const HeightFrame& frame, const PixelWindow& w) {
  std::vector<Eigen::Vector3d> points;
  for (int row = w.first_row; row <= w.last_row; ++row)
    for (int col = w.first_col; col <= w.last_col; ++col)
      if (frame.class_at(row, col) == PixelClass::ok)
        points.emplace_back(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
  return points;
}

HoleEdges hole_edges(const HeightFrame& frame, const PixelWindow& window, const Plane3& surface,
                     double surface_mm, double edge_depth_mm) {
  const Labelled l = labelled(frame, window, surface, surface_mm, edge_depth_mm);
  std::vector<bool> seen(l.pixels.size(), false);
  HoleEdges edges;
  for (int row = 0; row < window.rows(); ++row) {
    for (int col = 0; col < window.cols(); ++col) {
      const Pixel pixel = l.pixels[l.index(row, col)];
      if (pixel == Pixel::slope) add_slope_edges(l, surface, row, col, edges.slope_mm);
      if (pixel == Pixel::missing && !seen[l.index(row, col)])
        edges.patches.push_back(patch_from(l, surface, row, col, seen));
    }
  }
  return edges;
}

}  // namespace datum
