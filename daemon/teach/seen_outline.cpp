#include "daemon/teach/seen_outline.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace datum::teach {
namespace {

constexpr double least_aspect = 1.2;  // of a body whose direction can be told

struct Pixel {
  Eigen::Vector2d mm;  // from the body's middle, in its own axes
  float height_um;
  bool known;
};

/// A rectangle with its axes computed once: each pixel of a window asks for them.
struct OwnAxes {
  explicit OwnAxes(const BoardRect& rect)
      : centre_mm(rect.centre_mm),
        half_mm(rect.size_mm / 2),
        turn(Eigen::Rotation2Dd(rect.rotation_deg * std::numbers::pi / 180).toRotationMatrix()) {}
  Eigen::Vector2d own(const Eigen::Vector2d& at_mm) const { return turn.transpose() * (at_mm - centre_mm); }
  bool contains(const Eigen::Vector2d& at_mm) const {
    return (own(at_mm).cwiseAbs() - half_mm).maxCoeff() <= 0;
  }

  Eigen::Vector2d centre_mm, half_mm;
  Eigen::Matrix2d turn;
};

/// Pixels of a square window around a body.
class Window {
 public:
  Window(const SeenBoard& board, const Component& component, const FloorPlane& floor)
      : body_(component.body),
        axes_(body_),
        reach_mm_(component.body.size_mm.maxCoeff() / 2 + board.recipe.floor.outer_margin_mm) {
    const BoardView view(board.frame, board.board_from_sensor);
    find_bounds(view, component.nominal_height_um * 1e-3);
    for (const Component& other : board.recipe.components)
      if (&other != &component && is_near(other.body)) neighbours_.emplace_back(other.body);
    for (int row = row_; row < row_ + rows_; ++row)
      for (int col = col_; col < col_ + cols_; ++col) pixels_.push_back(pixel(board, floor, row, col));
    pixel_mm2_ = std::abs(view.per_col().x() * view.per_row().y() - view.per_col().y() * view.per_row().x());
  }

  double pixel_mm2() const { return pixel_mm2_; }

  /// Indices of the largest region above `least_um` that touches the body; `cut`: it reaches the window's border.
  std::vector<std::size_t> region(double least_um, bool& cut) const {
    std::vector<std::uint8_t> seen(pixels_.size(), 0);
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      if (seen[i] || !is_high(i, least_um) || !is_on_body(i)) continue;
      bool at_border = false;
      std::vector<std::size_t> found = flood(i, least_um, seen, at_border);
      if (found.size() <= best.size()) continue;
      best = std::move(found);
      cut = at_border;
    }
    return best;
  }
  const Pixel& at(std::size_t i) const { return pixels_[i]; }

 private:
  void find_bounds(const BoardView& view, double height_mm) {
    double low_col = view.cols(), low_row = view.rows(), high_col = -1, high_row = -1;
    for (const Eigen::Vector2d& corner :
         corners_mm({body_.centre_mm, Eigen::Vector2d::Constant(2 * reach_mm_), body_.rotation_deg})) {
      const Eigen::Vector2d p = view.pixel_of(corner, height_mm);
      low_col = std::min(low_col, p.x()), high_col = std::max(high_col, p.x());
      low_row = std::min(low_row, p.y()), high_row = std::max(high_row, p.y());
    }
    col_ = static_cast<int>(std::clamp(std::floor(low_col), 0.0, static_cast<double>(view.cols())));
    row_ = static_cast<int>(std::clamp(std::floor(low_row), 0.0, static_cast<double>(view.rows())));
    cols_ =
        static_cast<int>(std::clamp(std::ceil(high_col) + 1, 0.0, static_cast<double>(view.cols()))) - col_;
    rows_ =
        static_cast<int>(std::clamp(std::ceil(high_row) + 1, 0.0, static_cast<double>(view.rows()))) - row_;
    cols_ = std::max(cols_, 0), rows_ = std::max(rows_, 0);
  }
  bool is_near(const BoardRect& other) const {
    return (other.centre_mm - body_.centre_mm).norm() <
           reach_mm_ * std::numbers::sqrt2 + other.size_mm.norm() / 2;
  }
  Pixel pixel(const SeenBoard& board, const FloorPlane& floor, int row, int col) const {
    const HeightFrame& f = board.frame;
    if (f.class_at(row, col) != PixelClass::ok) return {Eigen::Vector2d::Zero(), 0, false};
    const Eigen::Vector3d sensor(f.x.at(col), f.y.at(row), f.z_mm(row, col));
    const Eigen::Vector2d on_board = (board.board_from_sensor * sensor).head<2>();
    for (const OwnAxes& other : neighbours_)
      if (other.contains(on_board)) return {Eigen::Vector2d::Zero(), 0, false};
    return {axes_.own(on_board), static_cast<float>(floor.over_um(sensor.x(), sensor.y(), sensor.z())), true};
  }
  bool is_high(std::size_t i, double least_um) const {
    return pixels_[i].known && pixels_[i].height_um > least_um;
  }
  bool is_on_body(std::size_t i) const { return (pixels_[i].mm.cwiseAbs() - axes_.half_mm).maxCoeff() <= 0; }
  std::vector<std::size_t> flood(std::size_t from, double least_um, std::vector<std::uint8_t>& seen,
                                 bool& at_border) const {
    std::vector<std::size_t> found{from};
    seen[from] = 1;
    const auto cols = static_cast<std::size_t>(cols_), rows = static_cast<std::size_t>(rows_);
    const auto visit = [&](std::size_t i) {
      if (seen[i] || !is_high(i, least_um)) return;
      seen[i] = 1;
      found.push_back(i);
    };
    for (std::size_t k = 0; k < found.size(); ++k) {
      const std::size_t col = found[k] % cols, row = found[k] / cols;
      at_border = at_border || col == 0 || row == 0 || col + 1 == cols || row + 1 == rows;
      if (col > 0) visit(found[k] - 1);
      if (col + 1 < cols) visit(found[k] + 1);
      if (row > 0) visit(found[k] - cols);
      if (row + 1 < rows) visit(found[k] + cols);
    }
    return found;
  }

  const BoardRect& body_;
  OwnAxes axes_;
  double reach_mm_, pixel_mm2_ = 0;
  int col_ = 0, row_ = 0, cols_ = 0, rows_ = 0;
  std::vector<OwnAxes> neighbours_;
  std::vector<Pixel> pixels_;
};

double median_height(const Window& window, const std::vector<std::size_t>& region) {
  std::vector<float> all;
  for (const std::size_t i : region) all.push_back(window.at(i).height_um);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// A uniform rectangle of length L has the variance L^2 / 12 along it.
void describe(const Window& window, const std::vector<std::size_t>& region, const BoardRect& body,
              SeenOutline& seen) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const std::size_t i : region) mean += window.at(i).mm;
  mean /= static_cast<double>(region.size());
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for (const std::size_t i : region) {
    const Eigen::Vector2d d = window.at(i).mm - mean;
    spread += d * d.transpose();
  }
  spread /= static_cast<double>(region.size());
  seen.area_mm2 = static_cast<double>(region.size()) * window.pixel_mm2();
  seen.off_mm = OwnAxes(body).turn * mean;
  seen.size_mm = (12 * spread.diagonal()).cwiseSqrt();
  const double trace = spread.trace(), apart = std::hypot(spread(0, 0) - spread(1, 1), 2 * spread(0, 1));
  const bool is_long = std::sqrt((trace + apart) / std::max(1e-12, trace - apart)) >= least_aspect,
             body_is_long = body.size_mm.maxCoeff() / body.size_mm.minCoeff() >= least_aspect;
  if (!is_long || !body_is_long) return;
  double turn = std::atan2(2 * spread(0, 1), spread(0, 0) - spread(1, 1)) / 2 * 180 / std::numbers::pi;
  if (body.size_mm.y() > body.size_mm.x()) turn -= 90;
  while (turn <= -90) turn += 180;
  seen.turned_deg = turn;
}

}  // namespace

std::optional<FloorPlane> floor_plane_of(const ComponentVerdict& c) {
  FloorPlane plane{c.floor.a, c.floor.b, c.floor.c_um, {c.floor.centre_x_mm, c.floor.centre_y_mm}};
  if (c.warp_floor) {
    plane.a = c.warp_floor->a, plane.b = c.warp_floor->b, plane.c_um = c.warp_floor->c_um;
  } else if (c.floor.inliers == 0) {
    return std::nullopt;
  }
  return plane;
}

std::optional<SeenOutline> seen_outline(const SeenBoard& board, const Component& component,
                                        const FloorPlane& floor, double sigma_um) {
  const Window window(board, component, floor);
  SeenOutline seen;
  const double least_um = std::max(component.nominal_height_um / 4, 6 * sigma_um);
  std::vector<std::size_t> region = window.region(least_um, seen.cut);
  if (region.empty()) return std::nullopt;
  seen.cut = false;
  region = window.region(std::max(least_um, median_height(window, region) / 2), seen.cut);
  if (region.empty()) return std::nullopt;
  seen.height_um = median_height(window, region);
  describe(window, region, component.body, seen);
  return seen;
}

}  // namespace datum::teach
