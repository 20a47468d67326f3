// Boards of known tops under noise that is not white: what METROLOGY's "What the world does to a height map" lists.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "daemon/inspection/board/pipeline.h"

namespace datum::testing {

/// What the frame's heights suffer. Lengths in pixels, heights in um.
struct HostileNoise {
  double sigma_um = 3.36;  // of all of it but rows, columns and the low frequencies
  double kernel_px = 0;    // Gaussian kernel that the noise went through, variance kept
  double low_um = 0;       // standard deviation of a second field, through a kernel of low_px
  double low_px = 20;
  double row_um = 0;  // a number of its own for each row
  double col_um = 0;
  double top_factor = 1;  // noise of the bodies over that of the board
  double lsb_um = 0.25;
  double dropout = 0;   // share of pixels without a height
  double spike_um = 0;  // overshoot of the outermost pixels of a body, decaying over spike_px
  double spike_px = 3;
};

struct HostileScene {
  Eigen::Vector2d body_mm{2, 1.25};
  int across = 1, down = 1;
  double height_um = 550, tilt_mdeg = 0, pitch_mm = 0.05, erode_px = 2;
  HostileNoise noise;
};

/// Standard normal field, white noise through a Gaussian kernel; bilinear between nodes a quarter of the kernel apart.
class NoiseField {
 public:
  NoiseField(int rows, int cols, double kernel_px, std::mt19937_64& random) : cols_(cols), rows_(rows) {
    step_ = std::max(1, static_cast<int>(kernel_px / 4));
    const double kernel = kernel_px / step_;
    const int reach = static_cast<int>(std::ceil(3.5 * kernel));
    node_rows_ = rows / step_ + 2;
    node_cols_ = cols / step_ + 2;
    const int h = node_rows_ + 2 * reach, w = node_cols_ + 2 * reach;
    std::normal_distribution<double> normal;
    std::vector<double> white(static_cast<std::size_t>(h) * w),
        rowwise(static_cast<std::size_t>(h) * node_cols_);
    for (double& v : white) v = normal(random);
    std::vector<double> k(2 * reach + 1);
    double squares = 0;
    for (int i = -reach; i <= reach; ++i) {
      k[i + reach] = kernel > 0 ? std::exp(-i * i / (2 * kernel * kernel)) : (i == 0);
      squares += k[i + reach] * k[i + reach];
    }
    for (double& v : k) v /= std::sqrt(squares);
    for (int r = 0; r < h; ++r)
      for (int c = 0; c < node_cols_; ++c)
        for (int i = 0; i <= 2 * reach; ++i)
          rowwise[static_cast<std::size_t>(r) * node_cols_ + c] +=
              k[i] * white[static_cast<std::size_t>(r) * w + c + i];
    nodes_.assign(static_cast<std::size_t>(node_rows_) * node_cols_, 0);
    for (int r = 0; r < node_rows_; ++r)
      for (int c = 0; c < node_cols_; ++c)
        for (int i = 0; i <= 2 * reach; ++i)
          nodes_[static_cast<std::size_t>(r) * node_cols_ + c] +=
              k[i] * rowwise[static_cast<std::size_t>(r + i) * node_cols_ + c];
  }
  double at(int row, int col) const {
    const int r = row / step_, c = col / step_;
    const double v = static_cast<double>(row % step_) / step_, u = static_cast<double>(col % step_) / step_;
    const auto node = [&](int i, int j) {
      return nodes_[static_cast<std::size_t>(r + i) * node_cols_ + c + j];
    };
    if (step_ == 1) return node(0, 0);
    return (1 - v) * ((1 - u) * node(0, 0) + u * node(0, 1)) + v * ((1 - u) * node(1, 0) + u * node(1, 1));
  }

 private:
  int cols_, rows_, step_ = 1, node_rows_ = 0, node_cols_ = 0;
  std::vector<double> nodes_;
};

struct HostileBoard {
  Recipe recipe;
  SensorProfile sensor;
  HeightFrame frame;
  std::vector<double> true_tilt_mdeg;

  BoardVerdict inspect() const {
    InspectionInputs in;
    in.recipe = &recipe;
    in.sensor = &sensor;
    in.measured_at = "2026-01-01T00:00:00Z";
    Backend backend = cpu_backend(1);
    return datum::inspect(frame, in, backend);
  }
};

inline constexpr double hostile_ring_mm = 1.1;

inline Recipe hostile_recipe(const HostileScene& s) {
  Recipe r;
  r.name = "hostile";
  r.sha256 = "0123";
  const Eigen::Vector2d cell = s.body_mm.array() + 2 * hostile_ring_mm + 0.4;
  r.board_size_mm = {cell.x() * s.across, cell.y() * s.down};
  r.in_machine_coordinates = false;
  r.sensor_serial = "S1";
  r.floor.inner_margin_mm = 0.3;
  r.floor.outer_margin_mm = hostile_ring_mm;
  r.floor.min_side_pixels = 100;
  r.body.erode_px = s.erode_px;
  r.uncertainty.position_mm = 0;
  using enum Characteristic;
  for (int i = 0; i < s.across * s.down; ++i) {
    Component c;
    c.reference = "C" + std::to_string(i);
    c.package = "box";
    c.body = {{(i % s.across + 0.5) * cell.x(), (i / s.across + 0.5) * cell.y()}, s.body_mm, 0};
    c.nominal_height_um = s.height_um;
    for (const Characteristic what : {mean, median, percentile, maximum, minimum, top_mean, tilt, presence}) {
      Check check;
      check.characteristic = what;
      check.parameter = what == percentile ? 0.9 : 10;
      check.upper = 1e6;
      c.checks.push_back(check);
    }
    r.components.push_back(c);
  }
  return r;
}

/// Renders the scene; the tops' tilt lies along a direction of its own for each body.
inline HostileBoard hostile_board(const HostileScene& s, std::uint64_t seed) {
  HostileBoard b;
  b.recipe = hostile_recipe(s);
  b.sensor.serial = "S1";
  b.sensor.noise = {{0.0}, {3.36}};
  b.sensor.z_min_mm = -5;
  b.sensor.z_max_mm = 5;
  std::mt19937_64 random(seed);
  HeightFrame& f = b.frame;
  f.rows = static_cast<int>(b.recipe.board_size_mm.y() / s.pitch_mm);
  f.cols = static_cast<int>(b.recipe.board_size_mm.x() / s.pitch_mm);
  std::uniform_real_distribution<double> uniform(0, 1);
  const double phase_x = uniform(random), phase_y = uniform(random), phase_z = uniform(random);
  f.x = {s.pitch_mm, phase_x * s.pitch_mm};
  f.y = {s.pitch_mm, phase_y * s.pitch_mm};
  f.z = {s.noise.lsb_um * 1e-3, phase_z * s.noise.lsb_um * 1e-3};
  f.sensor_serial = "S1";
  f.frame_id = "F1";
  f.content_sha256 = "beef";
  f.source = "hostile";
  const HostileNoise& n = s.noise;
  const NoiseField fine(f.rows, f.cols, n.kernel_px, random), low(f.rows, f.cols, n.low_px, random);
  std::normal_distribution<double> normal;
  std::vector<double> rows(f.rows), cols(f.cols);
  for (double& v : rows) v = n.row_um * normal(random);
  for (double& v : cols) v = n.col_um * normal(random);
  std::vector<double> turn(b.recipe.components.size()), level(turn.size());
  for (double& v : turn) v = 2 * M_PI * uniform(random);
  for (double& v : level) v = uniform(random) * n.lsb_um;
  std::vector<std::int16_t> counts(f.size());
  f.classes.assign(f.size(), PixelClass::ok);
  const Eigen::Vector2d cell = s.body_mm.array() + 2 * hostile_ring_mm + 0.4;
  const double slope = std::tan(s.tilt_mdeg * M_PI / 180e3) * 1e3;
  for (int row = 0; row < f.rows; ++row)
    for (int col = 0; col < f.cols; ++col) {
      const std::size_t at = static_cast<std::size_t>(row) * f.cols + col;
      const double x = f.x.at(col), y = f.y.at(row);
      const int i = std::min(s.across - 1, static_cast<int>(x / cell.x())),
                j = std::min(s.down - 1, static_cast<int>(y / cell.y()));
      const std::size_t body = static_cast<std::size_t>(j * s.across + i);
      const Eigen::Vector2d d = Eigen::Vector2d(x, y) - b.recipe.components[body].body.centre_mm;
      const Eigen::Vector2d inside = s.body_mm / 2 - d.cwiseAbs();
      const bool top = inside.minCoeff() >= 0;
      double um = n.sigma_um * fine.at(row, col) * (top ? n.top_factor : 1) + n.low_um * low.at(row, col) +
                  rows[row] + cols[col];
      if (top) um += s.height_um + slope * (std::cos(turn[body]) * d.x() + std::sin(turn[body]) * d.y());
      if (top && n.spike_um > 0) {
        const double depth = inside.minCoeff() / s.pitch_mm;
        if (depth < n.spike_px) um += n.spike_um * (1 - depth / n.spike_px) * uniform(random);
      }
      if (n.dropout > 0 && uniform(random) < n.dropout) f.classes[at] = PixelClass::no_data;
      counts[at] = static_cast<std::int16_t>(std::lround((um * 1e-3 - f.z.offset_mm) / f.z.scale_mm));
    }
  f.counts = std::move(counts);
  return b;
}

}  // namespace datum::testing
