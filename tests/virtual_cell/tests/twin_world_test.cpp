// Each effect on a height map has its stated size.
#include "tests/virtual_cell/twin_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/virtual_cell/tests/twin_boards.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum {
namespace {

using testing::small_board;
using testing::small_view;

constexpr int rows = 400, cols = 500;

TwinView plain_view() {
  TwinView view;
  view.rows = rows;
  view.cols = cols;
  view.x = view.y = {0.05, 0};
  return view;
}

struct Flat {
  std::vector<double> um = std::vector<double>(std::size_t{rows} * cols, 0);
  std::vector<PixelClass> classes = std::vector<PixelClass>(std::size_t{rows} * cols, PixelClass::ok);
  TwinSurface surface{um, classes};

  explicit Flat(const TwinWorld& world, std::uint64_t seed = 1) {
    add_world(world, surface, plain_view(), seed, um, classes);
  }
  double missing() const {
    return static_cast<double>(std::count(classes.begin(), classes.end(), PixelClass::no_data)) /
           static_cast<double>(classes.size());
  }
};

double mean_product(const std::vector<double>& um, int dx, int dy) {
  double sum = 0;
  for (int r = 0; r + dy < rows; ++r)
    for (int c = 0; c + dx < cols; ++c)
      sum += um[static_cast<std::size_t>(r) * cols + static_cast<std::size_t>(c)] *
             um[static_cast<std::size_t>(r + dy) * cols + static_cast<std::size_t>(c + dx)];
  return sum / ((rows - dy) * (cols - dx));
}

/// White noise through a Gaussian kernel of width s has the autocorrelation exp(-d^2 / (4 s^2)). A variance
/// from N pixels has the relative standard error sqrt(2 * 2 pi s^2 / N), since the squares' correlation is
/// exp(-d^2 / (2 s^2)), sum 2 pi s^2.
TEST(TwinWorld, KernelNoiseHasItsVarianceAndAutocorrelation) {
  for (double px : {2.0, 5.0, 20.0}) {
    TwinWorld world;
    world.smooth = {{3, px}};
    const Flat flat(world);
    const double tolerance =
        4 * 9 * std::sqrt(4 * M_PI * px * px / (rows * cols)) + 0.015 * 9;  // and the lattice's error
    const int lag = static_cast<int>(px);
    EXPECT_NEAR(mean_product(flat.um, 0, 0), 9, tolerance) << px;
    EXPECT_NEAR(mean_product(flat.um, lag, 0), 9 * std::exp(-0.25), tolerance) << px;
    EXPECT_NEAR(mean_product(flat.um, 0, 2 * lag), 9 * std::exp(-1.0), tolerance) << px;
  }
}

TEST(TwinWorld, ARowsOffsetIsOneNumber) {
  TwinWorld world;
  world.row_um = 1.5;
  world.line_px = 250;
  const Flat flat(world);
  double squares = 0;
  for (int r = 0; r < rows; ++r) {
    const auto at = [&](int c) {
      return flat.um[static_cast<std::size_t>(r) * cols + static_cast<std::size_t>(c)];
    };
    EXPECT_EQ(at(0), at(249));
    EXPECT_EQ(at(250), at(499));
    EXPECT_NE(at(249), at(250));
    squares += at(0) * at(0) + at(250) * at(250);
  }
  EXPECT_NEAR(squares / (2 * rows), 2.25, 4 * 2.25 * std::sqrt(2.0 / (2 * rows)));  // four standard errors
}

TEST(TwinWorld, MissingPixelsHaveTheirShare) {
  TwinWorld world;
  world.missing_ratio = 0.2;
  EXPECT_NEAR(Flat(world).missing(), 0.2, 4 * std::sqrt(0.2 * 0.8 / (rows * cols)));
  world = {};
  world.missing_blob_ratio = 0.2;
  // three layers of 195 cells, 0.56 blobs each, whose area has a standard deviation of 93 pixels: 1 % of the
  // frame in all
  EXPECT_NEAR(Flat(world).missing(), 0.2, 0.04);
}

TEST(TwinWorld, WhatLiesAboveTheRangeHasNoHeight) {
  TwinSensor sensor;
  sensor.serial = "V1";
  sensor.noise.world.highest_um = -2500;  // the board lies about -3 mm, U1's top about -2, C1's about -2.5
  const TwinView view = small_view();
  const TwinSurface surface = look_at(small_board(), view);
  const HeightFrame frame = render(surface, view, sensor, 1);
  int above = 0;
  for (std::size_t i = 0; i < surface.z_mm.size(); ++i) {
    const bool high = surface.classes[i] == PixelClass::ok && surface.z_mm[i] > -2.5;
    above += high;
    ASSERT_EQ(frame.classes[i] == PixelClass::out_of_range, high);
  }
  EXPECT_GT(above, 4000);  // U1: 80 x 60 pixels
}

TEST(TwinWorld, SpikesStandAtWallsAlone) {
  TwinSensor sensor;
  sensor.serial = "V1";
  sensor.noise.world.spike_ratio = 0.3;
  sensor.noise.world.spike_um = 100;
  sensor.noise.world.spike_px = 3;
  TwinBoard board = small_board();
  board.shape = {};
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  board.bodies = {{"U1", {{7.02, 8.02}, {4, 3}, 0}, 1000, 0, 0, false}};
  const TwinSurface surface = look_at(board, view);
  const HeightFrame frame = render(surface, view, sensor, 1);
  int spikes = 0;
  for (int row = 0; row < view.rows; ++row)
    for (int col = 0; col < view.cols; ++col) {
      const auto i = static_cast<std::size_t>(row * view.cols + col);
      const double off_um = (frame.z_mm(row, col) - surface.z_mm[i]) * 1e3;
      if (frame.classes[i] != PixelClass::ok || std::abs(off_um) < 1) continue;
      ++spikes;
      EXPECT_GT(off_um, 0);
      EXPECT_LE(off_um, 101);
      const double beside = std::max(std::abs(col * 0.05 - 7.02) - 2, std::abs(row * 0.05 - 8.02) - 1.5);
      EXPECT_LE(std::abs(beside), 0.2);
    }
  // a border of 6 x 280 pixels less corners, 30 % of them and 99 % above 1 um; binomial sigma 19, four of them
  EXPECT_NEAR(spikes, 0.3 * 0.99 * 6 * 280, 4 * 19 + 12);
}

TEST(TwinWorld, BodiesMayBeNoisierAndDarkAtOneEnd) {
  TwinSensor sensor;
  sensor.serial = "V1";
  sensor.noise.white_um = 1;
  sensor.noise.world.body_noise = 4;
  TwinBoard board = small_board();
  board.shape = {};
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  board.bodies = {{"U1", {{7.02, 8.02}, {4, 3}, 0}, 1000, 0, 0, false}};
  board.darks.push_back({board.bodies[0].outline, 0, 0.8});
  const TwinSurface surface = look_at(board, view);
  const HeightFrame frame = render(surface, view, sensor, 1);
  double squares = 0;
  int seen = 0, left = 0, right = 0;
  for (int row = 131; row < 190; ++row)
    for (int col = 101; col < 180; ++col) {
      const auto i = static_cast<std::size_t>(row * view.cols + col);
      if (frame.classes[i] != PixelClass::ok) {
        ++(col < 140 ? left : right);
        continue;
      }
      ++seen;
      squares += std::pow((frame.z_mm(row, col) - surface.z_mm[i]) * 1e3, 2);
    }
  EXPECT_NEAR(squares / seen, 16, 4 * 16 * std::sqrt(2.0 / seen));
  // 59 x 39 and 59 x 40 pixels, of which 0.2 and 0.6 are missing on average; sigma 18 and 23
  EXPECT_NEAR(left, 0.2 * 59 * 39, 4 * 18 + 30);
  EXPECT_NEAR(right, 0.6 * 59 * 40, 4 * 23 + 30);
}

TEST(TwinWorld, LevelsLieInTheirSectorAndRise) {
  TwinBoard board = small_board();
  board.shape = {};
  board.bodies.clear();
  TwinView view = small_view();
  view.sensor_from_board.setIdentity();
  board.patches.push_back({{{5.02, 8.02}, {4, 4}, 0}, 35, false, 90, 120});
  board.patches.push_back({{{14.02, 8.02}, {4, 4}, 180}, 40, true});
  const TwinSurface surface = look_at(board, view);
  const auto um = [&](double x, double y) {
    return surface.z_mm[static_cast<std::size_t>(std::lround(y / 0.05) * view.cols + std::lround(x / 0.05))] *
           1e3;
  };
  EXPECT_NEAR(um(4.5, 9.5), 35, 1e-9);                  // at 109 degrees
  EXPECT_NEAR(um(3.5, 7.75), 35, 1e-9);                 // at 190
  EXPECT_NEAR(um(5.2, 9.5), 0, 1e-9);                   // at 83
  EXPECT_NEAR(um(4.5, 6.5), 0, 1e-9);                   // at 251
  EXPECT_NEAR(um(13, 8), 40 * (0.5 + 1.02 / 4), 1e-6);  // rises towards -x
  EXPECT_NEAR(um(15, 8), 40 * (0.5 - 0.98 / 4), 1e-6);
}

TEST(TwinWorld, RefusesWhatNoWorldIs) {
  const auto refused = [](auto change) {
    TwinWorld world;
    change(world);
    EXPECT_THROW(check(world), std::invalid_argument);
  };
  EXPECT_NO_THROW(check(TwinWorld{}));
  refused([](TwinWorld& w) { w.missing_ratio = 0.6; });
  refused([](TwinWorld& w) { w.missing_blob_ratio = -0.1; });
  refused([](TwinWorld& w) { w.row_um = std::nan(""); });
  refused([](TwinWorld& w) { w.body_noise = -1; });
  refused([](TwinWorld& w) { w.spike_px = 0; });
  refused([](TwinWorld& w) { w.smooth = {{1, 0.1}}; });
}

}  // namespace
}  // namespace datum
