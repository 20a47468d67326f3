#include "daemon/teach/bare_regions.h"

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "calib/linear/median.h"
#include "daemon/inspection/board/site_map.h"
#include "gpu/core/parallel_for.h"

namespace datum::teach {
namespace {

using Row6 = Eigen::Matrix<double, 6, 1>;

/// Height of the bare board over its nominal plane, um: a quadratic in board coordinates scaled to the board's half size.
class BoardSurface {
 public:
  explicit BoardSurface(const Eigen::Vector2d& size_mm) : half_mm_(size_mm / 2) {}

  double at(const Eigen::Vector2d& mm) const { return terms(mm).dot(form_); }
  void fit(const std::vector<Eigen::Vector3d>& points) {  // mm, mm, um
    double low = 1e9, high = -1e9;
    for (const auto& p : points) low = std::min(low, p.z()), high = std::max(high, p.z());
    if (points.size() < 100) return;
    form_[0] = most_frequent(points, low, high);
    // Half widths that close in on the surface: a bow of some 100 um first, then what a form of second order leaves.
    for (const double reach_um : {400.0, 250.0, 150.0, 100.0, 60.0, 60.0}) refine(points, reach_um);
  }

 private:
  Row6 terms(const Eigen::Vector2d& mm) const {
    const double x = mm.x() / half_mm_.x() - 1, y = mm.y() / half_mm_.y() - 1;
    Row6 t;
    t << 1, x, y, x * x, x * y, y * y;
    return t;
  }
  static double most_frequent(const std::vector<Eigen::Vector3d>& points, double low, double high) {
    constexpr double bin_um = 50;
    std::vector<std::size_t> bins(static_cast<std::size_t>((high - low) / bin_um) + 3, 0);
    for (const auto& p : points) ++bins[static_cast<std::size_t>((p.z() - low) / bin_um) + 1];
    std::size_t best = 1;
    const auto around = [&](std::size_t i) { return bins[i - 1] + bins[i] + bins[i + 1]; };
    for (std::size_t i = 1; i + 1 < bins.size(); ++i)
      if (around(i) > around(best)) best = i;
    return low + (static_cast<double>(best) - 0.5) * bin_um;
  }
  void refine(const std::vector<Eigen::Vector3d>& points, double reach_um) {
    Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
    Row6 right = Row6::Zero();
    for (const auto& p : points) {
      const Row6 t = terms(p.head<2>());
      if (std::abs(p.z() - t.dot(form_)) > reach_um) continue;
      normal += t * t.transpose();
      right += t * p.z();
    }
    const Eigen::LDLT<Eigen::Matrix<double, 6, 6>> solver(normal);
    if (solver.info() == Eigen::Success && normal(0, 0) >= 100) form_ = solver.solve(right);
  }

  Eigen::Vector2d half_mm_;
  Row6 form_ = Row6::Zero();
};

class Regions {
 public:
  Regions(const Recipe& recipe, const HeightFrame& frame, const Htm<Board, Sensor>& board_from_sensor,
          unsigned threads)
      : recipe_(recipe), frame_(frame), placed_(board_from_sensor), surface_(recipe.board_size_mm) {
    const BoardView view(frame, board_from_sensor);
    pixel_mm_ = std::sqrt(
        std::abs(view.per_col().x() * view.per_row().y() - view.per_col().y() * view.per_row().x()));
    fit_surface();
    measure(threads);
    for (const Component& c : recipe.components) cut_out(view, c);
  }

  std::vector<BareRegion> above(double least_um) {
    const double side_mm = (2 * recipe_.body.erode_px + std::sqrt(recipe_.body.min_pixels)) * pixel_mm_;
    std::vector<std::uint8_t> seen(over_um_.size(), 0);
    std::vector<BareRegion> found;
    for (std::size_t i = 0; i < over_um_.size(); ++i) {
      if (seen[i] || !(over_um_[i] > least_um)) continue;
      const std::vector<std::size_t> region = flood(i, least_um, seen);
      if (static_cast<double>(region.size()) * pixel_mm_ * pixel_mm_ < side_mm * side_mm) continue;
      const BareRegion one = describe(region);
      if (one.rect.size_mm.minCoeff() >= side_mm && is_on_board(one.rect)) found.push_back(one);
    }
    std::sort(found.begin(), found.end(), [](const BareRegion& a, const BareRegion& b) {
      return std::pair(a.rect.centre_mm.y(), a.rect.centre_mm.x()) <
             std::pair(b.rect.centre_mm.y(), b.rect.centre_mm.x());
    });
    return found;
  }

 private:
  Eigen::Vector3d on_board(std::size_t i) const {
    const auto cols = static_cast<std::size_t>(frame_.cols);
    const int row = static_cast<int>(i / cols), col = static_cast<int>(i % cols);
    return placed_ * Eigen::Vector3d(frame_.x.at(col), frame_.y.at(row), frame_.z_mm(row, col));
  }
  bool is_inside(const Eigen::Vector3d& p) const {
    const double edge = recipe_.floor.neighbour_margin_mm;
    return p.x() > edge && p.y() > edge && p.x() < recipe_.board_size_mm.x() - edge &&
           p.y() < recipe_.board_size_mm.y() - edge;
  }
  void fit_surface() {
    const std::size_t step = std::max<std::size_t>(1, frame_.size() / 100'003);
    std::vector<Eigen::Vector3d> points;
    for (std::size_t i = 0; i < frame_.size(); i += step) {
      if (frame_.classes[i] != PixelClass::ok) continue;
      const Eigen::Vector3d p = on_board(i);
      if (is_inside(p)) points.emplace_back(p.x(), p.y(), p.z() * 1e3);
    }
    surface_.fit(points);
  }
  void measure(unsigned threads) {
    over_um_.assign(frame_.size(), -1);
    const auto cols = static_cast<std::size_t>(frame_.cols);
    parallel_for(std::max(1u, threads), static_cast<std::size_t>(frame_.rows),
                 [&](std::size_t row, unsigned) {
                   for (std::size_t i = row * cols; i < (row + 1) * cols; ++i) {
                     if (frame_.classes[i] != PixelClass::ok) continue;
                     const Eigen::Vector3d p = on_board(i);
                     if (is_inside(p))
                       over_um_[i] = static_cast<float>(p.z() * 1e3 - surface_.at(p.head<2>()));
                   }
                 });
  }
  void cut_out(const BoardView& view, const Component& c) {
    BoardRect rect = c.floor_outline.value_or(c.body);
    rect.size_mm += Eigen::Vector2d::Constant(2 * recipe_.floor.neighbour_margin_mm);
    const Eigen::Matrix2d turn =
        Eigen::Rotation2Dd(rect.rotation_deg * std::numbers::pi / 180).toRotationMatrix();
    Eigen::Vector2d low(frame_.cols, frame_.rows), high(-1, -1);
    for (const Eigen::Vector2d& corner : corners_mm(rect)) {
      const Eigen::Vector2d p = view.pixel_of(corner, c.nominal_height_um * 1e-3);
      low = low.cwiseMin(p), high = high.cwiseMax(p);
    }
    const auto bound = [](double v, int most) {
      return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(most)));
    };
    for (int row = bound(std::floor(low.y()), frame_.rows); row < bound(high.y() + 2, frame_.rows); ++row)
      for (int col = bound(std::floor(low.x()), frame_.cols); col < bound(high.x() + 2, frame_.cols); ++col) {
        const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(frame_.cols) +
                              static_cast<std::size_t>(col);
        if (over_um_[i] <= 0) continue;
        const Eigen::Vector2d own = turn.transpose() * (on_board(i).head<2>() - rect.centre_mm);
        if ((own.cwiseAbs() - rect.size_mm / 2).maxCoeff() <= 0) over_um_[i] = -1;
      }
  }
  std::vector<std::size_t> flood(std::size_t from, double least_um, std::vector<std::uint8_t>& seen) const {
    const auto cols = static_cast<std::size_t>(frame_.cols);
    std::vector<std::size_t> found{from};
    seen[from] = 1;
    const auto visit = [&](std::size_t i) {
      if (i >= over_um_.size() || seen[i] || !(over_um_[i] > least_um)) return;
      seen[i] = 1;
      found.push_back(i);
    };
    for (std::size_t k = 0; k < found.size(); ++k) {
      const std::size_t i = found[k], col = i % cols;
      if (col > 0) visit(i - 1);
      if (col + 1 < cols) visit(i + 1);
      if (i >= cols) visit(i - cols);
      visit(i + cols);
    }
    return found;
  }
  BareRegion describe(const std::vector<std::size_t>& region) const {
    std::vector<double> heights;
    for (const std::size_t i : region) heights.push_back(over_um_[i]);
    const double half_um = median_of(heights) / 2;
    heights.clear();
    std::vector<Eigen::Vector2d> points;
    for (const std::size_t i : region) {
      if (over_um_[i] <= half_um) continue;
      heights.push_back(over_um_[i]);
      points.emplace_back(on_board(i).head<2>());
    }
    BareRegion found;
    found.height_um = median_of(heights);
    double least = 1e18;
    for (int deg = 0; deg < 90; ++deg) {
      const Eigen::Matrix2d turn = Eigen::Rotation2Dd(deg * std::numbers::pi / 180).toRotationMatrix();
      Eigen::Vector2d low = Eigen::Vector2d::Constant(1e9), high = -low;
      for (const Eigen::Vector2d& p : points) {
        const Eigen::Vector2d own = turn.transpose() * p;
        low = low.cwiseMin(own), high = high.cwiseMax(own);
      }
      const Eigen::Vector2d size = high - low + Eigen::Vector2d::Constant(pixel_mm_);
      // A region of pixels is no smaller when it is turned by a degree: a pixel's border decides for the upright one.
      const double area = (deg == 0 ? 0.97 : 1.0) * size.prod();
      if (area >= least) continue;
      least = area;
      found.rect = {turn * (low + high) / 2, size, static_cast<double>(deg)};
    }
    return found;
  }
  bool is_on_board(const BoardRect& rect) const {
    for (const Eigen::Vector2d& corner : corners_mm(rect))
      if (corner.minCoeff() < 0 || (corner - recipe_.board_size_mm).maxCoeff() > 0) return false;
    return true;
  }

  const Recipe& recipe_;
  const HeightFrame& frame_;
  const Htm<Board, Sensor>& placed_;
  BoardSurface surface_;
  double pixel_mm_ = 0;
  std::vector<float> over_um_;  // -1: no height, or not to be looked at
};

}  // namespace

std::vector<BareRegion> bare_regions(const Recipe& recipe, const HeightFrame& frame,
                                     const Htm<Board, Sensor>& board_from_sensor, double above_um,
                                     unsigned threads) {
  return Regions(recipe, frame, board_from_sensor, threads).above(above_um);
}

}  // namespace datum::teach
