#include "calib/hybrid/hole_edges.h"

#include <array>

namespace datum {

namespace {

enum class Pixel : std::uint8_t { surface, missing, other };

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

Labelled labelled(const HeightFrame& frame, const PixelWindow& w, const Plane3& surface, double surface_mm,
                  double edge_depth_mm) {
  Labelled l{frame, w, {}};
  for (int row = w.first_row; row <= w.last_row; ++row) {
    for (int col = w.first_col; col <= w.last_col; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) {
        l.pixels.push_back(Pixel::missing);
        continue;
      }
      const Eigen::Vector3d p(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
      const double d = surface.normal.dot(p - surface.point_mm);
      l.pixels.push_back(d < -edge_depth_mm          ? Pixel::missing
                         : std::abs(d) <= surface_mm ? Pixel::surface
                                                     : Pixel::other);
    }
  }
  return l;
}

/// The surface's point at a place of the frame, which may lie between pixels.
Eigen::Vector3d on_surface(const HeightFrame& frame, const Plane3& s, double row, double col) {
  const double x = frame.x.at(col), y = frame.y.at(row);
  const Eigen::Vector3d& c = s.point_mm;
  return {x, y, c.z() - (s.normal.x() * (x - c.x()) + s.normal.y() * (y - c.y())) / s.normal.z()};
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

std::vector<MissingPatch> missing_patches(const HeightFrame& frame, const PixelWindow& window,
                                          const Plane3& surface, double surface_mm, double edge_depth_mm) {
  const Labelled l = labelled(frame, window, surface, surface_mm, edge_depth_mm);
  std::vector<bool> seen(l.pixels.size(), false);
  std::vector<MissingPatch> patches;
  std::vector<std::array<int, 2>> open;
  for (int row = 0; row < window.rows(); ++row) {
    for (int col = 0; col < window.cols(); ++col) {
      if (seen[l.index(row, col)] || l.pixels[l.index(row, col)] != Pixel::missing) continue;
      MissingPatch patch;
      seen[l.index(row, col)] = true;
      open.assign(1, {row, col});
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
          if (l.pixels[next] == Pixel::surface) {
            patch.edge_mm.push_back(
                on_surface(frame, surface, window.first_row + r + dr / 2.0, window.first_col + c + dc / 2.0));
          } else if (l.pixels[next] == Pixel::missing && !seen[next]) {
            seen[next] = true;
            open.push_back({r + dr, c + dc});
          }
        }
      }
      patches.push_back(std::move(patch));
    }
  }
  return patches;
}

}  // namespace datum
