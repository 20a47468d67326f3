#include "tests/virtual_cell/twin_grey.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/inspection/registration/plane_motion.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum {
namespace {

constexpr auto stream = static_cast<TwinStream>(102);  // of this file alone
constexpr int places = 5;                              // in a pixel, along either axis

/// `own_axes`: the ink's, of its rotation.
bool covers(const TwinInk& ink, const Eigen::Matrix2d& own_axes, const Eigen::Vector2d& at) {
  const Eigen::Vector2d d = at - ink.centre_mm;
  if (ink.form == TwinInk::Form::disc) return d.norm() <= ink.size_mm.x() / 2;
  if (ink.form == TwinInk::Form::ring)
    return d.norm() <= ink.size_mm.x() / 2 && d.norm() >= ink.size_mm.y() / 2;
  const Eigen::Vector2d own = (own_axes * d).cwiseAbs();
  if (ink.form == TwinInk::Form::rect) return (own.array() <= ink.size_mm.array() / 2).all();
  return own.maxCoeff() <= ink.size_mm.x() / 2 && own.minCoeff() <= ink.size_mm.y() / 2;
}

struct Canvas {
  const TwinGrid& grid;
  std::vector<double> light;
  Eigen::Vector2d at(double col, double row) const {
    return grid.origin + col * grid.per_col + row * grid.per_row;
  }
  double& operator()(int row, int col) {
    return light[std::size_t(row) * std::size_t(grid.cols) + std::size_t(col)];
  }
};

/// Pixels around a place, clamped to the frame.
struct Box {
  int col0, col1, row0, row1;
  Box(const TwinGrid& g, const Eigen::Vector2d& centre, double radius_mm) {
    Eigen::Matrix2d m;
    m << g.per_col, g.per_row;
    const Eigen::Matrix2d back = m.inverse();
    const Eigen::Vector2d px = back * (centre - g.origin), half = radius_mm * back.rowwise().norm();
    const auto within = [](double x, int n) { return int(std::clamp(x, 0.0, double(n))); };
    col0 = within(px.x() - half.x() - 1, g.cols), col1 = within(px.x() + half.x() + 2, g.cols);
    row0 = within(px.y() - half.y() - 1, g.rows), row1 = within(px.y() + half.y() + 2, g.rows);
  }
};

void print(Canvas& canvas, const TwinInk& ink) {
  const Box box(canvas.grid, ink.centre_mm,
                ink.size_mm.norm() / 2 + (ink.form == TwinInk::Form::rect ? 0 : ink.size_mm.x() / 2));
  const Eigen::Matrix2d own_axes = rotation_by_deg(ink.rotation_deg).transpose();
  for (int row = box.row0; row < box.row1; ++row)
    for (int col = box.col0; col < box.col1; ++col) {
      int n = 0;
      for (int j = 0; j < places; ++j)
        for (int i = 0; i < places; ++i)
          n += covers(ink, own_axes,
                      canvas.at(col + (i + 0.5) / places - 0.5, row + (j + 0.5) / places - 0.5));
      double& light = canvas(row, col);
      light += (ink.grey - light) * n / (places * places);
    }
}

void shine(Canvas& canvas, const TwinGlare& glare) {
  const Box box(canvas.grid, glare.centre_mm, glare.radius_mm);
  for (int row = box.row0; row < box.row1; ++row)
    for (int col = box.col0; col < box.col1; ++col) {
      const double share = (canvas.at(col, row) - glare.centre_mm).norm() / glare.radius_mm;
      if (share < 1) canvas(row, col) += glare.grey * (1 - share * share);
    }
}

/// Five taps of a Gaussian, along rows, then columns.
void blur(Canvas& canvas, double sigma) {
  if (sigma <= 0) return;
  double tap[3], sum = 0;
  for (int k = 0; k < 3; ++k) tap[k] = std::exp(-k * k / (2 * sigma * sigma)), sum += tap[k] * (k ? 2 : 1);
  for (double& t : tap) t /= sum;
  const int rows = canvas.grid.rows, cols = canvas.grid.cols;
  for (const bool along : {true, false}) {
    Canvas before = canvas;
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        double light = 0;
        for (int k = -2; k <= 2; ++k)
          light += tap[std::abs(k)] * before(along ? row : std::clamp(row + k, 0, rows - 1),
                                             along ? std::clamp(col + k, 0, cols - 1) : col);
        canvas(row, col) = light;
      }
  }
}

}  // namespace

void add_mark(std::vector<TwinInk>& inks, const Fiducial& mark, double grey, double window_grey) {
  if (window_grey >= 0)
    inks.push_back({TwinInk::Form::disc,
                    mark.centre_mm,
                    {mark.size_mm * (mark.shape == FiducialShape::cross ? 1.1 : 1) + 2.1 * mark.clear_mm, 0},
                    0,
                    window_grey});
  const bool cross = mark.shape == FiducialShape::cross;
  inks.push_back({cross                               ? TwinInk::Form::cross
                  : mark.shape == FiducialShape::ring ? TwinInk::Form::ring
                                                      : TwinInk::Form::disc,
                  mark.centre_mm,
                  {mark.size_mm, cross ? mark.line_mm : mark.inner_mm},
                  mark.rotation_deg,
                  grey});
}

IntensityImage draw_grey(const TwinGrey& grey, const Eigen::Vector2d& board_mm, const TwinGrid& grid,
                         std::uint64_t seed) {
  Canvas canvas{grid, std::vector<double>(std::size_t(grid.rows) * std::size_t(grid.cols))};
  for (int row = 0; row < grid.rows; ++row)
    for (int col = 0; col < grid.cols; ++col) {
      const Eigen::Vector2d at = canvas.at(col, row);
      const bool on = at.minCoeff() >= 0 && (board_mm - at).minCoeff() >= 0;
      canvas(row, col) =
          on ? grey.mask_grey + grey.texture_grey * std::sin(7 * at.x()) * std::sin(7 * at.y()) : 10;
    }
  for (const TwinInk& ink : grey.inks) print(canvas, ink);
  for (const TwinGlare& glare : grey.glares) shine(canvas, glare);
  blur(canvas, grey.blur_px);
  const TwinRandom random(seed, stream);
  IntensityImage image{grid.rows, grid.cols, std::vector<std::uint16_t>(canvas.light.size()), grey.bits};
  const double most = double((1 << grey.bits) - 1);
  for (int row = 0; row < grid.rows; ++row)
    for (int col = 0; col < grid.cols; ++col) {
      const double x = 2.0 * col / grid.cols - 1, y = 2.0 * row / grid.rows - 1;
      const std::size_t i = std::size_t(row) * std::size_t(grid.cols) + std::size_t(col);
      const double light =
          canvas.light[i] * (1 - grey.vignetting * (x * x + y * y) / 2) + grey.noise_grey * random.normal(i);
      image.grey[i] = static_cast<std::uint16_t>(std::lround(std::clamp(light, 0.0, most)));
    }
  return image;
}

}  // namespace datum
