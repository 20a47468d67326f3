#include "tests/virtual_cell/twin_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

struct Axes2 {
  explicit Axes2(double rotation_deg)
      : x(std::cos(rotation_deg * std::numbers::pi / 180), std::sin(rotation_deg * std::numbers::pi / 180)),
        y(-x.y(), x.x()) {}
  Vector2d x, y;
};

bool inside(const TwinRect& rect, const Axes2& axes, const Vector2d& point) {
  const Vector2d d = point - rect.centre_mm;
  return std::abs(d.dot(axes.x)) <= rect.size_mm.x() / 2 && std::abs(d.dot(axes.y)) <= rect.size_mm.y() / 2;
}

/// Coordinate of a point in a rectangle along its x: 0 at the -x end, 1 at the +x end.
double way_along(const TwinRect& rect, const Axes2& axes, const Vector2d& point) {
  return (point - rect.centre_mm).dot(axes.x) / rect.size_mm.x() + 0.5;
}

bool in_sector(const TwinPatch& patch, const Axes2& axes, const Vector2d& point) {
  if (patch.sector_deg >= 360) return true;
  const Vector2d d = point - patch.outline.centre_mm;
  const double turn =
      std::atan2(d.dot(axes.y), d.dot(axes.x)) * 180 / std::numbers::pi - patch.sector_from_deg;
  return turn - 360 * std::floor(turn / 360) < patch.sector_deg;
}

class Painter {
 public:
  Painter(const TwinBoard& board, const TwinView& view) : board_(board), view_(view) {
    to_sensor_.matrix() = view.sensor_from_board;
    to_board_ = to_sensor_.inverse();
    along_ = to_board_.linear().col(2);
    const auto n = static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols);
    surface_.z_mm.assign(n, 0);
    surface_.classes.assign(n, PixelClass::no_data);
    surface_.on_body.assign(n, 0);
  }

  void floor() {
    for (int row = 0; row < view_.rows; ++row) {
      for (int col = 0; col < view_.cols; ++col) {
        const Vector3d start = origin(row, col);
        double z = floor_z_mm(start, 0);
        const Vector3d hit = start + z * along_;
        if (!on_board(hit.head<2>())) {
          open(row, col, start);
          continue;
        }
        const double um = relief_um_at(hit.head<2>());
        if (!std::isnan(um)) set(row, col, um == 0 ? z : floor_z_mm(start, um * 1e-3), PixelClass::ok);
      }
    }
  }

  void patch(const TwinPatch& patch) {
    over(patch.outline, [&](int row, int col) {
      const Vector3d start = origin(row, col);
      const double full = floor_z_mm(start, patch.height_um * 1e-3);
      const std::optional<double> um = height_um_of(patch, (start + full * along_).head<2>());
      if (um) raise(row, col, patch.ramp ? floor_z_mm(start, *um * 1e-3) : full);
    });
  }

  void body(const TwinBody& body) {
    const TwinTop top = top_of(board_, body);
    const Vector2d half = body.outline.size_mm / 2;
    const double facing = along_.dot(top.normal);
    over(body.outline, [&](int row, int col) {
      const Vector3d start = origin(row, col);
      const double z = (top.point - start).dot(top.normal) / facing;
      const Vector3d d = start + z * along_ - top.point;
      if (std::abs(d.dot(top.axis_x)) <= half.x() && std::abs(d.dot(top.axis_y)) <= half.y())
        raise(row, col, z, true);
    });
  }

  void darken(const TwinDark& dark) {
    const Axes2 axes(dark.outline.rotation_deg);
    if (surface_.dark.empty()) surface_.dark.assign(surface_.z_mm.size(), 0);
    over(dark.outline, [&](int row, int col) {
      const std::size_t i = index(row, col);
      const Vector2d hit = (origin(row, col) + surface_.z_mm[i] * along_).head<2>();
      if (!inside(dark.outline, axes, hit)) return;
      const double share = way_along(dark.outline, axes, hit);
      surface_.dark[i] = static_cast<float>(dark.share_from + share * (dark.share_to - dark.share_from));
    });
  }

  void hide(const TwinRect& rect) {
    const Axes2 axes(rect.rotation_deg);
    over(rect, [&](int row, int col) {
      const std::size_t i = index(row, col);
      const Vector3d hit = origin(row, col) + surface_.z_mm[i] * along_;
      if (inside(rect, axes, hit.head<2>())) surface_.classes[i] = PixelClass::no_data;
    });
  }

  void hole(const TwinHole& hole) {
    over({hole.centre_mm, {hole.diameter_mm, hole.diameter_mm}, 0}, [&](int row, int col) {
      const std::size_t i = index(row, col);
      const Vector3d hit = origin(row, col) + surface_.z_mm[i] * along_;
      if ((hit.head<2>() - hole.centre_mm).norm() > hole.diameter_mm / 2) return;
      surface_.classes[i] = PixelClass::no_data;
      open(row, col, origin(row, col));
    });
  }

  /// Along each row the highest grazing ray descends with distance; points below it are in shadow.
  void shadows() {
    if (view_.shadow_slope <= 0) return;
    const double sinks_mm = view_.x.scale_mm / view_.shadow_slope;
    for (int row = 0; row < view_.rows; ++row) {
      double ray = -1e300;
      for (int col = 0; col < view_.cols; ++col) {
        ray -= sinks_mm;
        const std::size_t i = index(row, col);
        if (surface_.classes[i] != PixelClass::ok) continue;
        if (surface_.z_mm[i] < ray) surface_.classes[i] = PixelClass::shadow;
        ray = std::max(ray, surface_.z_mm[i]);
      }
    }
  }

  TwinSurface take() { return std::move(surface_); }

 private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(view_.cols) +
           static_cast<std::size_t>(col);
  }
  /// Board coordinates of the point on this pixel's line of sight where the sensor's z is 0.
  Vector3d origin(int row, int col) const {
    return to_board_ * Vector3d(view_.x.at(col), view_.y.at(row), 0);
  }

  bool on_board(const Vector2d& at) const {
    if (board_.routed.empty())
      return at.x() >= 0 && at.y() >= 0 && at.x() <= board_.size_mm.x() && at.y() <= board_.size_mm.y();
    return std::all_of(board_.routed.begin(), board_.routed.end(), [&](const TwinEdge& e) {
      const Vector2d way = e.to_mm - e.from_mm, d = at - e.from_mm;
      return way.x() * d.y() - way.y() * d.x() >= 0;
    });
  }
  /// A board that is routed wider has at its edge what lies beside it: the relief's outermost cells lie beyond the outline in part, and
  /// then have no level.
  double relief_um_at(const Vector2d& at) const {
    const TwinRelief& relief = board_.relief;
    if (board_.routed.empty()) return relief.at(at.x(), at.y());
    const double border = relief_border_cells * relief.pitch_mm;
    const auto in = [&](double mm, double size) { return std::clamp(mm, border, size - border); };
    return relief.at(in(at.x(), board_.size_mm.x()), in(at.y(), board_.size_mm.y()));
  }
  /// What is seen where the board is not.
  void open(int row, int col, const Vector3d& start) {
    if (board_.below_um > 0)
      set(row, col, (-1e-3 * board_.below_um - start.z()) / along_.z(), PixelClass::ok);
  }

  void set(int row, int col, double z, PixelClass c) {
    surface_.z_mm[index(row, col)] = z;
    surface_.classes[index(row, col)] = c;
  }
  void raise(int row, int col, double z, bool body = false) {
    const std::size_t i = index(row, col);
    if (surface_.classes[i] == PixelClass::ok && surface_.z_mm[i] >= z) return;
    set(row, col, z, PixelClass::ok);
    surface_.on_body[i] = body;
  }

  /// Sensor z of the intersection of the line of sight with the bare board raised by `above_mm`, by Newton's
  /// method. The surface is so flat (slopes below 0.1, quadratic) that three steps converge within 1e-9 mm.
  double floor_z_mm(const Vector3d& start, double above_mm) const {
    double z = -start.z() / along_.z();
    for (int step = 0; step < 3; ++step) {
      const Vector3d p = start + z * along_;
      const TwinFloor f = floor_at(board_, p.x(), p.y());
      z -= (p.z() - f.z_mm - above_mm) / (along_.z() - f.slope_x * along_.x() - f.slope_y * along_.y());
    }
    return z;
  }

  /// Calls paint(row, col) for every pixel that could see an object on `rect`.
  template <class Paint>
  void over(const TwinRect& rect, Paint&& paint) const {
    const double reach = rect.size_mm.norm() / 2 + 0.5;  // mm; parallax of tall objects on a tilted board
    const TwinFloor f = floor_at(board_, rect.centre_mm.x(), rect.centre_mm.y());
    const Vector3d c = to_sensor_ * Vector3d(rect.centre_mm.x(), rect.centre_mm.y(), f.z_mm);
    const auto low = [](double mm, const AxisScale& s) {
      return std::max(0, static_cast<int>(std::floor((mm - s.offset_mm) / s.scale_mm)));
    };
    const auto high = [](double mm, const AxisScale& s, int size) {
      return std::min(size - 1, static_cast<int>(std::ceil((mm - s.offset_mm) / s.scale_mm)));
    };
    for (int row = low(c.y() - reach, view_.y); row <= high(c.y() + reach, view_.y, view_.rows); ++row)
      for (int col = low(c.x() - reach, view_.x); col <= high(c.x() + reach, view_.x, view_.cols); ++col)
        paint(row, col);
  }

  const TwinBoard& board_;
  const TwinView& view_;
  Eigen::Isometry3d to_sensor_, to_board_;
  Vector3d along_;  // the sensor's z in board coordinates
  TwinSurface surface_;
};

}  // namespace

std::optional<double> height_um_of(const TwinPatch& patch, const Eigen::Vector2d& at_mm) {
  const Axes2 axes(patch.outline.rotation_deg);
  if (!inside(patch.outline, axes, at_mm) || !in_sector(patch, axes, at_mm)) return std::nullopt;
  return patch.height_um * (patch.ramp ? way_along(patch.outline, axes, at_mm) : 1);
}

TwinTop top_of(const TwinBoard& board, const TwinBody& body) {
  const Vector2d c = body.outline.centre_mm;
  const TwinFloor f = floor_at(board, c.x(), c.y());
  const Vector3d up = Vector3d(-f.slope_x, -f.slope_y, 1).normalized();
  const Vector2d direction = Axes2(body.outline.rotation_deg).x;
  const Vector3d along(direction.x(), direction.y(), 0);
  const Vector3d tangent_x = (along - along.dot(up) * up).normalized();
  const Vector3d tangent_y = up.cross(tangent_x);
  TwinTop top;
  top.point = Vector3d(c.x(), c.y(), f.z_mm) + (body.base_um + body.height_um) * 1e-3 * up;
  top.normal = (up - body.slope_x * tangent_x - body.slope_y * tangent_y).normalized();
  top.axis_x = (tangent_x - tangent_x.dot(top.normal) * top.normal).normalized();
  top.axis_y = top.normal.cross(top.axis_x);
  return top;
}

TwinSurface look_at(const TwinBoard& board, const TwinView& view) {
  Painter painter(board, view);
  painter.floor();
  for (const TwinPatch& patch : board.patches) painter.patch(patch);
  for (const TwinBody& body : board.bodies)
    if (!body.missing) painter.body(body);
  for (const TwinHole& hole : board.holes) painter.hole(hole);
  for (const TwinBody& body : board.over_holes) painter.body(body);
  for (const TwinDark& dark : board.darks) painter.darken(dark);
  for (const TwinRect& rect : board.occlusions) painter.hide(rect);
  painter.shadows();
  return painter.take();
}

}  // namespace datum
